/** What holds for the whole operation table: names, schemas, hints, and the size of what an agent is shown. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { instructions } from '../../src/doors/mcp/instructions.ts';
import { canonicalName, fold } from '../../src/operations/names.ts';
import { surface } from '../../src/operations/surface.ts';
import { toolsets } from '../../src/service/settings.ts';

type Node = Record<string, unknown>;

function* nodes(schema: unknown): Generator<Node> {
  if (typeof schema !== 'object' || schema === null) return;
  if (!Array.isArray(schema)) yield schema as Node;
  for (const part of Object.values(schema)) yield* nodes(part);
}

describe('the operation table', () => {
  it('names every operation so that every client accepts it', () => {
    for (const { name } of surface.entries) {
      expect(name).toMatch(canonicalName);
      expect(name).not.toContain('__');
      expect(fold(name)).toBe(name);
    }
  });

  it('has no two documented names that fold to one', () => {
    const names = surface.entries.flatMap(({ name, spellings }) => [...new Set([name, ...spellings.map(fold)])]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('answers every documented spelling with the operation that documents it', () => {
    for (const { name, spellings } of surface.entries) {
      for (const spelling of spellings) expect(surface.find(spelling)?.name).toBe(name);
    }
  });

  it('has input schemas that every client can take', () => {
    for (const { name, inputSchema } of surface.entries) {
      expect(inputSchema.type, name).toBe('object');
      // S1: the parameters of an action stand beside it, and the operation it names checks them.
      if (name !== 'instructions_dispatch') expect(inputSchema.additionalProperties, name).toBe(false);
      for (const combinator of ['oneOf', 'anyOf', 'allOf']) expect(inputSchema, name).not.toHaveProperty(combinator);
      for (const node of nodes(inputSchema)) {
        expect(Array.isArray(node.type), name).toBe(false);
        expect(node, name).not.toHaveProperty('const');
        expect(node, name).not.toHaveProperty('$ref');
        if (node.type === 'array') expect(node.items, name).toBeTypeOf('object');
      }
    }
  });

  it('has output schemas that are objects', () => {
    for (const { name, outputSchema } of surface.entries) expect(outputSchema.type, name).toBe('object');
  });

  it('never calls a write read-only, nor a read destructive', () => {
    for (const entry of surface.entries) {
      if (!entry.writes) expect([entry.destructive, entry.mutation, entry.idempotent]).toEqual([false, false, true]);
    }
  });

  it('takes on the command line only words that are parameters', () => {
    for (const { inputSchema, positional } of surface.entries) {
      for (const word of positional) expect(inputSchema.properties).toHaveProperty(word);
    }
  });

  it('lists in core at most ten tools and 2,500 tokens', () => {
    const listed = surface.listed(['core'], false);
    const tools = listed.map(({ name, description, inputSchema, writes, destructive, idempotent, openWorld }) => {
      const annotations = {
        readOnlyHint: !writes,
        destructiveHint: destructive,
        idempotentHint: idempotent,
        openWorldHint: openWorld,
      };
      return { name, description, inputSchema, annotations };
    });
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.length).toBeLessThanOrEqual(10);
    expect(encode(JSON.stringify({ tools })).length).toBeLessThanOrEqual(2500);
  });

  it('lists each toolset in the order of names, and in read-only mode without a single write', () => {
    for (const toolset of toolsets) {
      const names = surface.listed([toolset], false).map(({ name }) => name);
      expect(names).toEqual([...names].sort());
      expect(surface.listed([toolset], true).some(({ writes }) => writes)).toBe(false);
    }
  });

  it('tells a client in its first sentence when to use Cairn, within 2,000 characters', () => {
    expect(instructions.length).toBeLessThanOrEqual(2000);
    expect(instructions).toMatch(/^Use Cairn when/);
  });
});
