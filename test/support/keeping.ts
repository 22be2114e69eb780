/** How files are kept where a test is about something else: as a service does by default. */
import { Value } from 'typebox/value'
import { sealsOf } from '../../core/integrity.js'
import { Settings } from '../../core/settings.js'
import type { Keeping } from '../../storage/keeping.js'

const { integrity, versioning } = Value.Default(Settings, {}) as Settings

export const keeping: Keeping = { seals: sealsOf(integrity), versioning }

/** No integrity values. */
export const unsealed: Keeping = { versioning, seals: { event: () => undefined, access: () => undefined } }
