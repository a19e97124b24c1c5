export { fileStorage, type FileStorage } from './storage/file.ts';
