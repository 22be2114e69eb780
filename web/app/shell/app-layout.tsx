/** The layout of all pages of an account: header, sidebar, bottom bar on phones. */
import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { explainError, type Message } from '../../explain-error.js'
import { rereadCount } from '../data/reachable.js'
import { useStore } from '../data/store.js'
import { OwnerOnly } from '../parts/owner-only.js'
import { Toasts } from '../parts/toast.js'
import { Skeleton } from '../parts/skeleton.js'
import { loadPage, getLoadedPage, type PageView } from '../pages.js'
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
  const [view, setView] = useState<{ readonly name: string; readonly View: PageView } | undefined>(() =>
    getLoadedView(page)
  )
  const [problem, setProblem] = useState<Message>()
  const main = useRef<HTMLElement>(null)
  const reads = useStore(rereadCount)
  useEffect(() => {
    const known = getLoadedView(page)
    setProblem(undefined)
    if (known) {
      setView(known)
      return undefined
    }
    let isGone = false
    loadPage(page).then(
      View => {
        if (!isGone) setView({ name: page, View })
      },
      (error: unknown) => {
        if (!isGone) setProblem(explainError(error).message)
      }
    )
    return () => {
      isGone = true
    }
  }, [page])
  const shown = view?.name === page ? view : undefined
  useEffect(() => {
    if (shown) scrollTo(0, 0)
  }, [shown?.name, id])

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
          {problem !== undefined && (
            <div class="notice bad" role="alert">
              {problem}
            </div>
          )}
          {/* The language is part of the key: texts are read while rendering. */}
          {shown && (
            <ErrorBoundary key={`${page} ${id ?? ''} ${tag} ${reads}`}>
              <shown.View {...(id === undefined ? {} : { id })} query={query} />
            </ErrorBoundary>
          )}
          {!shown && problem === undefined && <Skeleton kind="page" />}
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

function getLoadedView(name: Route['page']): { readonly name: string; readonly View: PageView } | undefined {
  const View = getLoadedPage(name)
  return View && { name, View }
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
