// Starts the page: gets the services' addresses, then shows the console. If output can't respond, shows a plain
// sentence.
import { render } from 'preact'
import { findServices } from './api/calls.ts'
import { App } from './app.tsx'

const root = document.getElementById('console')
if (root !== null)
  findServices().then(
    (where) => render(<App where={where} />, root),
    () =>
      render(
        <p class="lone">
          The output service did not return the addresses of auth and ingest. Reload the page.
        </p>,
        root,
      ),
  )
