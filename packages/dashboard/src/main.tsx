import { render } from 'preact';
import { App } from './app.tsx';
import { drawSafely } from './parts/safe-drawing.ts';
import './styles/index.css';

const page = document.getElementById('page');
if (page) {
  drawSafely();
  page.replaceChildren();
  // In its own task: evaluating the modules already takes a long one.
  setTimeout(() => render(<App />, page));
}
