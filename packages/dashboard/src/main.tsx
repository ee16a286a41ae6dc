import { render } from 'preact';
import { App } from './app.tsx';
import './styles/index.css';

const page = document.getElementById('page');
if (page) {
  page.replaceChildren();
  // In a task of its own: the one that evaluates the modules is long enough.
  setTimeout(() => render(<App />, page));
}
