import { useQuery } from '@tanstack/react-query';
import { Chart } from '../../components/Chart';
import { ErrorState } from '../../components/ErrorState';
import { BUCKET_SECONDS, type RangeName } from '../../components/range';
import { signInTimelineQuery } from './queries';

export function SignInChart({ tenantId, range }: { tenantId: string; range: RangeName }) {
  const { data, error, refetch } = useQuery(signInTimelineQuery(tenantId, range));
  if (error && !data)
    return <ErrorState error={error} what="Sign-ins could not be counted" retry={() => void refetch()} />;
  const { items, bucket } = data ?? { items: [], bucket: 'hour' };
  return (
    <Chart
      title={`Sign-ins per ${bucket}`}
      isLoading={!data}
      times={items.map(({ bucketStart }) => Date.parse(bucketStart) / 1000)}
      bucketSeconds={BUCKET_SECONDS[bucket]}
      series={[
        { name: 'Sign-ins', values: items.map(({ logins }) => logins) },
        { name: 'Players', values: items.map(({ uniquePlayers }) => uniquePlayers) },
      ]}
      height={200}
    />
  );
}
