import { profileScenarios } from './profiles.ts';
import { sessionScenarios } from './sessions.ts';
import { singleUseScenarios } from './single-use.ts';
import type { Scenario } from './stage.ts';
import { tenantScenarios } from './tenants.ts';

/** All scenarios of the interleavings. */
export const scenarios: readonly Scenario[] = [
  ...sessionScenarios,
  ...profileScenarios,
  ...singleUseScenarios,
  ...tenantScenarios,
];
