/** Measures of the mind: mood and strain, and what people write down, photograph and keep. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'

/** Builds a rating from 0 to `largest`. */
function createScale(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  largest = 10,
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'level', ['count/generic'], {
    plausible: [0, largest],
    possible: [0, largest],
    ...(codes && { codes })
  })
}

export const mind = inCategory('mind', [
  createRow('mood', ['Mood', 'Stimmung', 'Humeur'], 'smile', 45, 'level', ['mood/rating'], {
    isDefault: true,
    plausible: [0, 1],
    possible: [0, 1]
  }),
  createRow(
    'mood-emoji',
    ['Mood as an emoji', 'Stimmung als Emoji', 'Humeur en émoji'],
    'laugh',
    55,
    'text',
    ['mood/emoticon'],
    { isDefault: true }
  ),
  createScale('stress', ['Stress', 'Stress', 'Stress'], 'zap', 0, 10, {
    snomed: ['73595000'],
    hds: ['wellbeing-mental-distress-stress']
  }),
  createScale('anxiety', ['Anxiety', 'Angst', 'Anxiété'], 'frown', 275, 10, {
    snomed: ['48694002'],
    hds: ['wellbeing-mental-distress-anxiety']
  }),
  createScale('low-mood', ['Low mood', 'Niedergeschlagenheit', 'Baisse de moral'], 'cloud-rain', 225, 10, {
    hds: ['wellbeing-mental-distress-depression']
  }),
  createScale('energy-level', ['Energy level', 'Energieniveau', 'Niveau d’énergie'], 'battery-charging', 100),
  createScale(
    'phq-9',
    ['Depression questionnaire PHQ-9', 'Depressionsfragebogen PHQ-9', 'Questionnaire de dépression PHQ-9'],
    'clipboard-list',
    255,
    27,
    { loinc: ['44261-6'] }
  ),
  createScale(
    'gad-7',
    ['Anxiety questionnaire GAD-7', 'Angstfragebogen GAD-7', 'Questionnaire d’anxiété GAD-7'],
    'clipboard-check',
    285,
    21,
    { loinc: ['70274-6'] }
  ),
  createRow(
    'note',
    ['Notes', 'Notizen', 'Notes'],
    'notebook-pen',
    60,
    'text',
    ['note/txt', 'note/html', 'note/webclip'],
    { isDefault: true }
  ),
  createRow(
    'photo',
    ['Photos', 'Fotos', 'Photos'],
    'camera',
    195,
    'text',
    ['picture/attached', 'picture/url', 'picture/base64'],
    { isDefault: true }
  ),
  createRow('video', ['Videos', 'Videos', 'Vidéos'], 'video', 210, 'text', ['video/attached', 'video/url'], {
    isDefault: true
  }),
  createRow(
    'audio-recording',
    ['Audio recordings', 'Audioaufnahmen', 'Enregistrements audio'],
    'mic',
    300,
    'text',
    ['audio/attached', 'audio/url'],
    { isDefault: true }
  ),
  createRow(
    'document',
    ['Documents', 'Dokumente', 'Documents'],
    'file-text',
    215,
    'text',
    ['file/attached', 'file/attached-multiple', 'file/url'],
    { isDefault: true }
  ),
  createRow('link', ['Links', 'Links', 'Liens'], 'link', 185, 'text', ['url/http'], { isDefault: true })
])
