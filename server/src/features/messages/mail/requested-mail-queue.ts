import type { Queue } from '../../../jobs/queue.ts';

/**
 * Creates a queue of emails that strangers request for an address. The worker looks the address up, so that a request takes the
 * same time for every address and does not reveal whether it is known. 20 retries take about 17 minutes.
 */
export function requestedMailQueue<Data extends object>(name: string): Queue<Data> {
  return { name, retryDelay: 5, retryDelayMax: 60, retryLimit: 20, expireInSeconds: 60 };
}
