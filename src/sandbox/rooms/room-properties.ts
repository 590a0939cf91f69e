import { z } from 'zod';
import { Permissions } from './permissions.js';
import { keptArray, keptObject, unixTime } from './rest-fields.js';

const flag = z.boolean();
const seconds = z.number().min(0);
const text = z.string().max(1_024);

const idleTimes = {
  max_idle_timeout_sec: seconds.optional(),
  max_idle_timeout_post_conversation_sec: seconds.optional(),
};

const Codecs = z.strictObject({
  audio: z.array(z.enum(['OPUS', 'G722', 'PCMU', 'PCMA'])).optional(),
  video: z.array(z.enum(['H264', 'VP8'])).optional(),
});

const Sip = z
  .strictObject({
    display_name: z.string().max(256),
    sip_mode: z.literal('dial-in'),
    video: flag.optional(),
    num_endpoints: z.number().int().min(1).max(100).optional(),
    force_digit_only_username: flag.optional(),
    codecs: Codecs.optional(),
    provider: z.enum(['daily', 'signalwire']).optional(),
    dialin_config: z
      .strictObject({
        ...idleTimes,
        allow_room_start: flag.optional(),
        dialin_geo: text.optional(),
        hold_music_enabled: flag.optional(),
      })
      .optional(),
  })
  .refine((sip) => !sip.force_digit_only_username || (sip.num_endpoints ?? 1) === 1, {
    path: ['force_digit_only_username'],
    message: 'cannot be used with num_endpoints above 1',
  });

/** All properties a room can have; most of them are kept and shown only. @see rooms reference 6.1 */
export const RoomPropertiesSchema = z
  .strictObject({
    exp: unixTime,
    nbf: unixTime,
    eject_at_room_exp: flag,
    eject_after_elapsed: seconds,
    max_participants: z.number().int().min(1),
    enable_dialout: flag,
    dialout_config: z.strictObject({ ...idleTimes, allow_room_start: flag.optional(), dialout_geo: text.optional() }),
    sip: Sip.nullable(),
    dialin: keptObject,
    geo: text,
    start_video_off: flag,
    start_audio_off: flag,
    enable_recording: z.string().or(z.array(z.string())),
    permissions: Permissions,
    sfu_switchover: z.number().min(0),
    lang: text,
    owner_only_broadcast: flag,
    enforce_unique_user_ids: flag,
    experimental_optimize_large_calls: flag,
    enable_adaptive_simulcast: flag,
    enable_advanced_chat: flag,
    enable_breakout_rooms: flag,
    enable_chat: flag,
    enable_emoji_reactions: flag,
    enable_hand_raising: flag,
    enable_hidden_participants: flag,
    enable_knocking: flag,
    enable_live_captions_ui: flag,
    enable_mesh_sfu: flag,
    enable_multiparty_adaptive_simulcast: flag,
    enable_network_ui: flag,
    enable_noise_cancellation_ui: flag,
    enable_people_ui: flag,
    enable_pip_ui: flag,
    enable_prejoin_ui: flag,
    enable_screenshare: flag,
    enable_shared_chat_history: flag,
    enable_terse_logging: flag,
    enable_transcription_storage: flag,
    enable_video_processing_ui: flag,
    disable_rtmp_geo_fallback: flag,
    rtmp_geo: text,
    meeting_join_hook: text,
    recordings_template: text,
    recordings_bucket: keptObject,
    transcription_bucket: keptObject,
    auto_transcription_settings: keptObject,
    streaming_endpoints: keptArray,
  })
  .partial();
