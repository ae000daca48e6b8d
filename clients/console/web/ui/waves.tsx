// Weir's logo.

export const Waves = () => (
  <svg class="waves" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M5 12c3.5 0 3.5 3 7 3s3.5-3 7-3 3.5 3 8 3M5 19c3.5 0 3.5 3 7 3s3.5-3 7-3 3.5 3 8 3" />
  </svg>
)
