/** Keyboard shortcuts of all pages, and the dialog that lists them. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { Dialog } from '../parts/dialog.js'
import { buildHref, navigate, type PageName } from '../route.js'
import { openAddDialog } from './adding.js'

/** Pages by the key that follows `g`: those available to shared links, and all. */
const guestPages: Readonly<Record<string, PageName>> = {
  t: 'timeline',
  s: 'streams',
  b: 'table',
  m: 'map',
  p: 'photos'
}
const pages: Readonly<Record<string, PageName>> = { d: 'today', ...guestPages, h: 'shared', a: 'account' }

/** Listens for keys outside of fields and dialogs. Renders nothing but the dialog, when it is open. */
export function KeyboardShortcuts() {
  const { username, isOwner } = useAccount()
  const [isShown, setShown] = useState(false)
  const available = isOwner ? pages : guestPages
  useEffect(() => {
    let isGoing = false
    const press = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (target.closest('input, textarea, select, dialog, [contenteditable]')) return
      const page = isGoing ? available[event.key] : undefined
      isGoing = event.key === 'g'
      if (page) navigate(buildHref(username, { page }))
      else if (event.key === '/') document.querySelector<HTMLElement>('.find input')?.focus()
      else if (event.key === 'n' && isOwner) openAddDialog()
      else if (event.key === '?') setShown(true)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [username, isOwner])
  if (!isShown) return null
  const rows: readonly (readonly [string, string])[] = [
    ['/', t('shell.find')],
    ...(isOwner ? [['n', t('shell.add')] as const] : []),
    ...Object.entries(available).map(
      ([key, page]) => [`g ${key}`, t(`shell.${page}` as 'shell.timeline')] as const
    ),
    ['← →', t('shell.moveCursor')],
    ['+ −', t('shell.zoom')],
    ['?', t('shell.keys')]
  ]
  return (
    <Dialog title={t('shell.keys')} onClose={() => setShown(false)}>
      <dl class="keys">
        {rows.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
