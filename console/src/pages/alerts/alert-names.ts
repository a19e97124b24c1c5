export const alertNames = { rate_spike: 'Request rate', payload_spike: 'Payload size' };
