import { useQuery } from '@tanstack/react-query';
import { Chart } from '../../components/Chart';
import { Pending } from '../../components/Pending';
import { BUCKET_SECONDS, type RangeName } from '../../components/range';
import { signInTimelineQuery } from './queries';

export function SignInChart({ tenantId, range }: { tenantId: string; range: RangeName }) {
  const query = useQuery(signInTimelineQuery(tenantId, range));
  const { data } = query;
  if (!data) return <Pending query={query} failure="Sign-ins could not be counted" height={230} />;
  const { items, bucket } = data;
  return (
    <Chart
      title={`Sign-ins per ${bucket}`}
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
