/** What the account page has about passkeys and about mails on sign-ins, loaded when it is shown. */
import type { Session } from '../../api.js'
import { addSectionTexts } from './account/texts.js'
import type * as Sections from './account/views.js'
import { useLater } from './later.js'
import { addPasskeyTexts } from './texts.js'

/** The sections of the account page about passkeys, and about mails on sign-ins. */
export function SignInSections({ session }: { readonly session: Session }) {
  const sections = useLater<typeof Sections>(true, async () => {
    await Promise.all([addPasskeyTexts(), addSectionTexts()])
    return await import('./account/views.js')
  })
  return (
    sections && (
      <>
        <sections.Passkeys session={session} />
        <sections.Notices session={session} />
      </>
    )
  )
}
