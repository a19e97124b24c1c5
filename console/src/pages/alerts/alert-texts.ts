import { formatBytes, formatNumber } from '../../components/format';

export const alertNames = { rate_spike: 'Request rate', payload_spike: 'Payload size' };

/** A number of requests or of bytes. */
export const formatAmount = (type: keyof typeof alertNames, value: number): string =>
  type === 'payload_spike' ? formatBytes(value) : formatNumber(value);
