/** The contract of a family with what only this service has: its services, its configuration, and weather. */
import type { SourceSummary } from '@contrails/met';
import type { FamilyDoctor, Family as PlatformFamily } from '@contrails/platform/family';
import type { Finding } from '@contrails/platform/finding';
import type { CoreConfig } from './config/core.ts';
import type { Services } from './services.ts';

/** `Config` is the core configuration and the sections that the family reads. */
export interface Family<Config extends CoreConfig = CoreConfig> extends PlatformFamily<Services, Config> {
  readonly doctor?: FamilyDoctor & {
    /** Problems that the family has with a weather source, given the memory for weather [bytes]. */
    checkWeather?(source: SourceSummary, memoryBytes: number): Promise<readonly Omit<Finding, 'check'>[]>;
  };
}
