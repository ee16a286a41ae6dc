/** The logo. */
export const Mark = () => (
  <svg class="mark" width="28" height="28" viewBox="0 0 32 32" role="img" aria-label="Agent Relay">
    <rect width="32" height="32" rx="8" class="mark-ground" />
    <g fill="none" class="mark-lines" stroke-width="2.4" stroke-linecap="round">
      <path d="M9.5 11.5h9a4 4 0 0 1 0 8h-5" />
      <path d="M16.5 16l-3.5 3.5 3.5 3.5" />
    </g>
    <circle cx="9" cy="11.5" r="2.6" class="mark-dot" />
  </svg>
);
