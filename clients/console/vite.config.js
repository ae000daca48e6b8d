// How the page is built: small files under /console/. Nothing is inline, because the page's content security policy
// forbids it.
import { defineConfig } from 'vite'

export default defineConfig({
  root: 'web',
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
})
