/**
 * How much a prompt is like what people ask of others: of the office, of colleagues, of other programs, of nobody. The
 * nearest text is near to any prompt; nearer than these it should be. A store that does know about such a matter has texts
 * that are nearer still.
 */
import type { Embedder } from './embed/embedder.ts';
import { cosine } from './vector.ts';

/** Topics, not questions. Twice as many did no better. */
const MATTERS = [
  'vacation, sick leave and working hours',
  'business travel, hotels and flights',
  'parking, keys and badges for the building',
  'lunch, the canteen and coffee',
  'restaurants and bars in town',
  'pets and wild animals',
  'music, concerts and instruments',
  'history, wars and kings',
  'planets, stars and physics',
  'sleep, diet and exercise',
  'clothes, shoes and laundry',
  'cleaning and repairs in the house',
  'bicycles and their parts',
  'the weather and the seasons',
  'shopping, prices and discounts',
  'insurance and claims',
  'visas, passports and embassies',
  'elections and politicians',
  'parcels, deliveries and the post',
  'construction, tools and materials',
  'farming and food production',
  'languages and translations of a word',
  'jokes and small talk',
  'the name of a colleague or customer',
  'which supplier or vendor we chose',
  'who is on duty this weekend',
  'deadlines and milestones of a project',
  'how many people there are in the team',
  'the minutes of the board',
  'sales figures of last quarter',
  'training courses and certificates',
  'which server or cluster a team uses',
  "the cause of last week's outage",
  'go on',
  'no, that is wrong',
  'try it again',
  'what do you mean',
  'do the same for the next one',
  'fix it',
  'hello, how are you',
  'message queues, brokers and consumers',
  'dashboards and alerts of a monitoring system',
  'workflow scheduling and data pipelines',
  'routers, switches and firewalls',
  'storage arrays and file shares',
  'single sign-on and directory groups',
  'printers and scanners',
  'spreadsheets and word processing',
  'photo and image editing',
  '3D modelling and rendering',
  'microcontrollers, firmware and drivers',
  'mainframes and batch jobs',
  'online shops and shopping carts',
  'payment providers and invoices',
  'maps and navigation',
  'machine learning on pictures',
  'typesetting of scientific papers',
  'chat and video calls',
];

/** The mean of so many nearest: one alone says less. */
const NEAREST = 10;

interface Kept {
  vectors?: readonly Float32Array[];
}

const kept = new WeakMap<Embedder, Kept>();

/** The vectors of these matters are made once for each model, beside the first questions; until then nothing is known. */
export function elsewhere(embedder: Embedder): ((vector: Float32Array) => number) | undefined {
  const known = kept.get(embedder) ?? ask(embedder);
  const { vectors } = known;
  if (vectors === undefined) return undefined;
  return (vector) => {
    const nearest = vectors
      .map((each) => cosine(vector, each))
      .sort((a, b) => b - a)
      .slice(0, NEAREST);
    return nearest.reduce((sum, each) => sum + each, 0) / Math.max(1, nearest.length);
  };
}

function ask(embedder: Embedder): Kept {
  const asked: Kept = {};
  kept.set(embedder, asked);
  embedder.embed(MATTERS).then(
    (vectors) => {
      asked.vectors = vectors.filter((each) => each !== undefined);
    },
    () => kept.delete(embedder),
  );
  return asked;
}
