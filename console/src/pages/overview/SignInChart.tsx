import { useQuery } from '@tanstack/react-query';
import { Chart } from '../../components/Chart';
import { ErrorState } from '../../components/ErrorState';
import type { RangeName } from '../../components/range';
import { signInTimelineQuery } from './queries';

export function SignInChart({ tenantId, range }: { tenantId: string; range: RangeName }) {
  const { data, error, refetch } = useQuery(signInTimelineQuery(tenantId, range));
  if (error && !data)
    return <ErrorState error={error} what="Sign-ins could not be counted" retry={() => void refetch()} />;
  const items = data?.items ?? [];
  return (
    <Chart
      title={`Sign-ins per ${data?.bucket ?? 'hour'}`}
      isLoading={!data}
      times={items.map(({ bucketStart }) => Date.parse(bucketStart) / 1000)}
      series={[
        { name: 'Sign-ins', values: items.map(({ logins }) => logins) },
        { name: 'Players', values: items.map(({ uniquePlayers }) => uniquePlayers) },
      ]}
      height={200}
    />
  );
}
