import { createStore } from '../../components/store';

/**
 * The game that a page requests a new key for. The frame has the dialogs: an empty page is replaced when its first row arrives, and the key
 * would be lost.
 */
export const requestedKey = createStore<string | undefined>(undefined);
