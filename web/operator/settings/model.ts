/** Settings as returned by operator calls. (docs/spec/administration.md#changing-settings) */
import { t } from '../../language.js'

interface Origin {
  readonly kind: 'page' | 'file' | 'environment' | 'flag'
  readonly source: string
}

export interface Setting {
  readonly key: string
  readonly description: string
  readonly value?: unknown
  readonly isSecret: boolean
  readonly isStandard: boolean
  readonly isEditable: boolean
  readonly isPending: boolean
  readonly origin?: Origin
  readonly fixedBy?: Origin
  readonly choices?: readonly string[]
}

export interface Configuration {
  readonly version: string
  /** Identifies the start of the service. */
  readonly started: number
  /** The cluster node that responded. */
  readonly node: string | null
  readonly needsRestart: boolean
  readonly settings: readonly Setting[]
}

/** Describes where a value comes from. */
export function describeOrigin({ kind, source }: Origin): string {
  return t(`settings.from.${kind}`, { source })
}
