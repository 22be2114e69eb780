/** The layout of all pages of an account: header, sidebar, bottom bar on phones. */
import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks'
import { t } from '../../language.js'
import { explainError, type Message } from '../../explain-error.js'
import { rereadCount } from '../data/reachable.js'
import { useReading } from '../data/reading.js'
import { useStore } from '../data/store.js'
import { OwnerOnly } from '../parts/owner-only.js'
import { Toasts } from '../parts/toast.js'
import { Skeleton } from '../parts/skeleton.js'
import { loadPage, getLoadedPage } from '../pages.js'
import type { Route } from '../route.js'
import { AddDialog } from './add-dialog.js'
import { BottomBar } from './nav-links.js'
import { KeyboardShortcuts } from './keyboard-shortcuts.js'
import { OfflineBanner } from './offline-banner.js'
import { Header } from './header.js'
import { Sidebar } from './sidebar.js'

interface Props {
  readonly route: Route
  /** The current language. */
  readonly tag: string
  readonly onLanguage: (tag: string) => void
  readonly onLeave: () => void
  /** Shown above the page. */
  readonly banner?: ComponentChildren
}

/**
 * Shows the page of the route, whose module it loads; an error in a page leaves the rest usable. Also holds the
 * toasts, keyboard shortcuts and, for the owner, the dialog for adding.
 */
export function AppLayout({ route, tag, onLanguage, onLeave, banner }: Props) {
  const { page, id, query } = route
  // An object, as the state of a component cannot be another component.
  const { problem } = useReading(async () => ({ View: await loadPage(page) }), [page])
  const View = getLoadedPage(page)
  const main = useRef<HTMLElement>(null)
  const reads = useStore(rereadCount)
  useEffect(() => {
    if (View) scrollTo(0, 0)
  }, [View, id])

  return (
    <>
      <a class="skip" href="#main" onClick={event => (event.preventDefault(), main.current?.focus())}>
        {t('shell.skip')}
      </a>
      <Header tag={tag} onLanguage={onLanguage} onLeave={onLeave} />
      <OfflineBanner />
      {banner}
      <div class="room">
        <Sidebar route={route} />
        <main id="main" class={`page ${page}`} ref={main} tabIndex={-1}>
          {/* The language is part of the key: texts are read while rendering. */}
          {View ? (
            <ErrorBoundary key={`${page} ${id ?? ''} ${tag} ${reads}`}>
              <View {...(id === undefined ? {} : { id })} query={query} />
            </ErrorBoundary>
          ) : problem === undefined ? (
            <Skeleton kind="page" />
          ) : (
            <div class="notice bad" role="alert">
              {problem}
            </div>
          )}
        </main>
      </div>
      <BottomBar page={page} />
      <OwnerOnly>
        <ErrorBoundary>
          <AddDialog />
        </ErrorBoundary>
      </OwnerOnly>
      <Toasts />
      <KeyboardShortcuts />
    </>
  )
}

/** Renders its children, or an error message if rendering throws; the error is logged to the console. */
function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary()
  return error === undefined ? <>{children}</> : <ErrorMessage message={explainError(error).message} />
}

function ErrorMessage({ message }: { readonly message: Message }) {
  return (
    <div class="notice bad" role="alert">
      {message}
    </div>
  )
}
