/**
 * What the cases measure: a server, one kind of entry that it keeps, and the questions about it. Instructions, decisions
 * or somebody else's server are further objects of this type; the cases stay as they are.
 */
import type { Ask, Command, Message } from './command.ts';

export interface Seeded {
  readonly entries: number;
  /** Of one of the entries; '' if there is none. */
  readonly id: string;
}

export interface Subject {
  readonly name: string;
  command(home: string): Command;
  /** Fills a new home with that many entries, durably, and gives the id of one of them. */
  seed(home: string, entries: number): Promise<string>;
  /** How many entries its reads are measured at; from 100 to 20,000 without it. */
  readonly sizes?: { readonly full: readonly number[]; readonly quick: readonly number[] };
  /** Every way to start talking that the server knows; the last message of each is answered with its id. */
  readonly openings: Readonly<Record<string, readonly Message[]>>;
  /** What a client asks all day, of a home that nothing is written to meanwhile. */
  readonly reads: readonly ((home: Seeded) => Ask)[];
  /** One entry by its id: the shortest way to the store. */
  get(id: string): Ask;
  /** Adds one entry, durably. */
  write(number: number): Ask;
}
