/** The questionnaires that come with the service. */
import type { Template } from './build.js'
import { gad7 } from './gad-7.js'
import { phq9 } from './phq-9.js'

export const templates: readonly Template[] = [phq9, gad7]
