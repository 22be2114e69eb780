/** A large picture, with buttons for the previous and next one. */
import { useEffect } from 'preact/hooks'
import { t } from '../../language.js'
import type { Event } from '../data/model.js'
import { Dialog } from '../parts/dialog.js'
import { AppLink } from '../parts/app-link.js'
import { Picture } from '../parts/picture.js'
import { StepButton } from '../parts/step-buttons.js'
import { formatDateTime } from '../parts/format-time.js'

interface Props {
  readonly event: Event
  readonly caption: string
  /** Missing at the end. */
  readonly onBefore?: () => void
  readonly onNext?: () => void
  readonly onClose: () => void
}

/** Shows the picture in a dialog. Arrow keys work like the buttons; a direction without a function has none. */
export function Viewer({ event, caption, onBefore, onNext, onClose }: Props) {
  useEffect(() => {
    const press = ({ key }: KeyboardEvent): void => {
      if (key === 'ArrowLeft') onBefore?.()
      if (key === 'ArrowRight') onNext?.()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [onBefore, onNext])
  return (
    <Dialog title={caption} onClose={onClose} isWide>
      <div class="viewer">
        <Picture key={event.id} event={event} alt={caption} width={1024} />
        <p>
          <StepButton icon="left" label={t('photos.newer')} onStep={onBefore} />
          <span>
            {formatDateTime(event.time)}{' '}
            <AppLink to={{ page: 'events', id: event.id }}>{t('photos.details')}</AppLink>
          </span>
          <StepButton icon="right" label={t('photos.older')} onStep={onNext} />
        </p>
      </div>
    </Dialog>
  )
}
