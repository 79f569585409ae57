/** Starts the page: signs in if the address says so, then shows where it leads. */
import { render } from 'preact';
import { App } from './app.tsx';
import { openStream } from './data/live.ts';
import { readSession, signInFromAddress } from './data/session.ts';
import './style/index.css';

const failure = await signInFromAddress();
const session = await readSession();
openStream();
const place = document.getElementById('app');
if (place !== null) render(<App session={session} {...(failure && { failure: failure.message })} />, place);
