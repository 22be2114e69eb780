/**
 * GAD-7, in the translations of its makers. Developed by Robert L. Spitzer, Janet B. W. Williams, Kurt Kroenke and colleagues, with a grant
 * from Pfizer Inc. No permission is required to reproduce, translate, display or distribute it (https://www.phqscreeners.com).
 */
import type { Template } from './build.js'
import { phq9 } from './phq-9.js'

const { copyright, texts } = phq9

export const gad7: Template = {
  id: 'gad-7',
  loinc: '69737-5',
  copyright,
  texts: {
    en: {
      title: 'GAD-7',
      stem: texts.en.stem,
      options: texts.en.options,
      questions: [
        'Feeling nervous, anxious, or on edge',
        'Not being able to stop or control worrying',
        'Worrying too much about different things',
        'Trouble relaxing',
        'Being so restless that it is hard to sit still',
        'Becoming easily annoyed or irritable',
        'Feeling afraid as if something awful might happen'
      ]
    },
    de: {
      title: 'GAD-7',
      stem: texts.de.stem,
      options: texts.de.options,
      questions: [
        'Nervosität, Ängstlichkeit oder Anspannung',
        'Nicht in der Lage sein, Sorgen zu stoppen oder zu kontrollieren',
        'Übermäßige Sorgen bezüglich verschiedener Angelegenheiten',
        'Schwierigkeiten zu entspannen',
        'Rastlosigkeit, sodass Stillsitzen schwerfällt',
        'Schnelle Verärgerung oder Gereiztheit',
        'Gefühl der Angst, so als würde etwas Schlimmes passieren'
      ]
    },
    fr: {
      title: 'GAD-7',
      stem: texts.fr.stem,
      options: texts.fr.options,
      questions: [
        'Sentiment de nervosité, d’anxiété ou de tension',
        'Incapable d’arrêter de vous inquiéter ou de contrôler vos inquiétudes',
        'Inquiétudes excessives à propos de tout et de rien',
        'Difficulté à se détendre',
        'Agitation telle qu’il est difficile de rester tranquille',
        'Devenir facilement contrarié(e) ou irritable',
        'Avoir peur que quelque chose d’épouvantable puisse arriver'
      ]
    }
  }
}
