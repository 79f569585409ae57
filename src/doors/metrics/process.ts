/** The process itself: memory, processor, how late its event loop is. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { version } from '../../version.ts';
import { counter, gauge, type Measure } from './exposition.ts';

const RESOLUTION_MS = 20;

/** Measures from the moment it is made. */
export class ProcessFigures {
  readonly #lag: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#lag.enable();
  }

  close(): void {
    this.#lag.disable();
  }

  measures(): Measure[] {
    const { rss, heapUsed, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const lag = this.#lagSeconds();
    return [
      {
        name: 'cairn_build_info',
        help: 'The version of Cairn and of Node.',
        type: 'gauge',
        samples: [{ labels: { version, node: process.versions.node }, value: 1 }],
      },
      gauge('cairn_uptime_seconds', 'Since the process started.', process.uptime()),
      gauge('cairn_event_loop_lag_seconds', 'The longest delay of the event loop since the last scrape.', lag),
      gauge('process_start_time_seconds', 'When the process started.', Date.now() / 1000 - process.uptime()),
      gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
      gauge('nodejs_heap_used_bytes', 'Memory of JavaScript objects.', heapUsed),
      gauge('nodejs_external_memory_bytes', 'Memory outside of the heap that objects hold.', external),
      counter('process_cpu_seconds_total', 'Processor time.', [{ value: (user + system) / 1e6 }]),
    ];
  }

  /** What the timer measures includes its own interval. */
  #lagSeconds(): number {
    const longest = this.#lag.max;
    this.#lag.reset();
    return Math.max(0, longest / 1e9 - RESOLUTION_MS / 1000);
  }
}
