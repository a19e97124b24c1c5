export { findProfilesOf, listMergedProfiles, mergedProfilesOf, recordMerge } from './queries.ts';
