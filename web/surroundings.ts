/** What all views share: the service, and how to get from one page to another. */
import { createContext } from 'preact'
import type { PageFacts, ServiceInfo } from './api.js'

/** The pages, by the names of their files. */
export type Place =
  'access' | 'register' | 'reset-password' | 'change-password' | 'confirm-email' | 'signinhub'

interface Surroundings {
  readonly info: ServiceInfo
  readonly facts: PageFacts
  /** Shows another page; the request that is under way stays. */
  readonly go: (place: Place) => void
}

const nothing: ServiceInfo = {
  name: '',
  access: '',
  register: '',
  terms: '',
  support: '',
  home: '',
  assets: { definitions: '' }
}

const noFacts: PageFacts = { passwordReset: 'none', registration: 'closed' }

export const Surroundings = createContext<Surroundings>({
  info: nothing,
  facts: noFacts,
  go: () => undefined
})

/** The address of another page, with all that this one was given but its secrets. */
export function hrefOf(place: Place): string {
  const params = new URLSearchParams(location.search)
  params.delete('resetToken')
  const query = params.toString()
  return `${place}.html${query && `?${query}`}`
}
