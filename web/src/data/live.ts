/** What changes on the server while the page is open: one stream of events for all who want to know. */
import { useEffect, useState } from 'preact/hooks';

export const changeKinds = ['instruction', 'decision', 'document', 'event', 'feedback', 'session', 'other'] as const;
export type ChangeKind = (typeof changeKinds)[number];

export interface Change {
  readonly seq: number;
  readonly time: string;
  readonly operation: string;
  readonly kind: ChangeKind;
  readonly ids: readonly string[];
  readonly principal?: string;
}

type Listener = (change: Change) => void;
const listeners = new Set<Listener>();
const watchers = new Set<(connected: boolean) => void>();
let connected = false;

const RETRY_MS = 5_000;

export function openStream(): void {
  const source = new EventSource('/api/v1/events');
  source.addEventListener('open', () => setConnected(true));
  source.addEventListener('change', (event) => {
    const change = JSON.parse((event as MessageEvent<string>).data) as Change;
    for (const listener of listeners) listener(change);
  });
  source.addEventListener('error', () => {
    setConnected(false);
    // It reconnects by itself after a broken connection, but not after a refusal.
    if (source.readyState === EventSource.CLOSED) setTimeout(openStream, RETRY_MS);
  });
}

function setConnected(now: boolean): void {
  connected = now;
  for (const watcher of watchers) watcher(now);
}

export function useConnected(): boolean {
  const [now, setNow] = useState(connected);
  useEffect(() => {
    watchers.add(setNow);
    return () => void watchers.delete(setNow);
  }, []);
  return now;
}

export function useChanges(listener: Listener): void {
  useEffect(() => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [listener]);
}

/** A number that rises some time after a change of one of the kinds: many changes at once are one. */
export function useChangeCount(kinds: readonly ChangeKind[], waitMs = 250): number {
  const [count, setCount] = useState(0);
  const wanted = kinds.join();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listener: Listener = ({ kind }) => {
      if (!wanted.split(',').includes(kind) || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        setCount((before) => before + 1);
      }, waitMs);
    };
    listeners.add(listener);
    return () => {
      clearTimeout(timer);
      listeners.delete(listener);
    };
  }, [wanted, waitMs]);
  return count;
}
