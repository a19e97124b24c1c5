import type { FeatureGroup } from '../features/feature-group.ts';
import { featureGroups } from '../features/index.ts';
import type { Services, WorkerServices } from './services.ts';

/** All feature groups, checked against the services that the runtime gives them. */
export const groups: FeatureGroup<Services, WorkerServices>[] = featureGroups;
