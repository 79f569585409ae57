/** How the server is: whether all can be read, how fast it answers, what fails. */
import type { Metrics } from '../../data/answers.ts';
import { type Answer, useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Section } from '../../parts/basics.tsx';
import { Bars } from '../../parts/chart.tsx';
import { toolLink } from '../../parts/places.ts';
import { bytes, count, duration, milliseconds, plural } from '../../text/format.ts';
import type { Environment, Health } from './answers.ts';

export function HealthCard({ health }: { readonly health: Answer<Health> }) {
  const environment = useCall<Environment>('get_environment_health', {}, ['instruction', 'decision']);
  return (
    <Section
      title="Health"
      {...(health.data && { note: `version ${health.data.version}, up ${duration(health.data.uptime)}` })}
    >
      <Loaded answer={health}>
        {({ unreadable, status, diskUsage }) => {
          const { errors = [], warnings = [], storage_path = '' } = environment.data?.health ?? {};
          const faults = [...unreadable.map(({ file, problem }) => `${file} ${problem}`), ...errors];
          return (
            <>
              <p>
                <Badge word={faults.length > 0 ? 'degraded' : status} />{' '}
                {faults.length === 0 ? 'Everything can be read.' : plural(faults.length, 'fault')}
              </p>
              <ul class="list">
                {faults.map((fault) => (
                  <li key={fault}>{fault}</li>
                ))}
                {warnings.map((warning) => (
                  <li key={warning} class="faint">
                    {warning}
                  </li>
                ))}
              </ul>
              <p class="note">
                {storage_path} · {bytes(diskUsage.availableSpace)} free
              </p>
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

export function LatencyCard({ metrics }: { readonly metrics: Answer<Metrics> }) {
  return (
    <Section
      title="Latency"
      note="95th of a hundred calls, since this server started"
      aside={<a href="#/metrics">All figures</a>}
    >
      <Loaded answer={metrics}>
        {({ methods }) => (
          <Bars
            label="Latency"
            bars={methods
              .toSorted((a, b) => b.count - a.count)
              .slice(0, 8)
              .map(({ method, p95Ms }) => ({
                label: method,
                value: p95Ms,
                shown: milliseconds(p95Ms),
                href: toolLink(method),
              }))}
          />
        )}
      </Loaded>
    </Section>
  );
}

export function ErrorsCard({ metrics }: { readonly metrics: Answer<Metrics> }) {
  return (
    <Section title="Errors" note="calls that failed, since this server started">
      <Loaded answer={metrics}>
        {({ methods }) => {
          const failed = methods.filter(({ errors }) => errors > 0).toSorted((a, b) => b.errors - a.errors);
          return failed.length === 0 ? (
            <Empty title="No call failed." />
          ) : (
            <Bars
              label="Errors"
              bars={failed.slice(0, 8).map(({ method, errors, count: calls }) => ({
                label: method,
                value: errors,
                shown: `${count(errors)} of ${count(calls)}`,
                href: toolLink(method),
                tone: 'bad',
              }))}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}
