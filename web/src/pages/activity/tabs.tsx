import { Tabs } from '../../parts/basics.tsx';

const tabs = [
  { name: 'activity', label: 'Audit trail', href: '#/activity' },
  { name: 'events', label: 'Events', href: '#/events' },
  { name: 'sessions', label: 'Sessions', href: '#/sessions' },
  { name: 'feedback', label: 'Feedback', href: '#/feedback' },
  { name: 'metrics', label: 'Metrics', href: '#/metrics' },
];

export function ActivityTabs({ current }: { readonly current: string }) {
  return <Tabs tabs={tabs} current={current} label="Kinds of activity" />;
}
