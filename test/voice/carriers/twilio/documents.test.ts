import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import twilio from 'twilio';
import {
  briefDocument,
  conferenceDocument,
  dialDocument,
  hangUpDocument,
  mediaDocument,
  pauseThenRedirect,
  redirectDocument,
  rejectDocument,
  sayDocument,
} from '../../../../src/voice/carriers/twilio/documents.ts';

const { VoiceResponse } = twilio.twiml;
const base = 'https://voice.example.com/carrier/v1/car_1/calls/call_1';

/** The same document, written by the official package. */
function official(build: (response: InstanceType<typeof VoiceResponse>) => void): string {
  const response = new VoiceResponse();
  build(response);
  return response.toString();
}

describe('Documents are those of the official package:', () => {
  it('a media stream, then the address to rejoin', () => {
    const streamUrl = 'wss://voice.example.com/carrier/v1/car_1/media/a.b-c';
    assert.equal(
      mediaDocument({ streamUrl, streamStatusUrl: `${base}/status`, rejoinUrl: `${base}/rejoin` }),
      official((response) => {
        response.connect().stream({ url: streamUrl, statusCallback: `${base}/status` });
        response.redirect({ method: 'POST' }, `${base}/rejoin`);
      }),
    );
  });

  it('reject and hang up', () => {
    assert.equal(
      rejectDocument(),
      official((response) => response.reject({ reason: 'busy' })),
    );
    assert.equal(
      hangUpDocument(),
      official((response) => response.hangup()),
    );
  });

  it('a message', () => {
    for (const text of ['ただいま電話に出られません。', `"Tom" & 'Jerry' <1> 2 > 1]]>`, 'a\r\nb\tc', '😀', '']) {
      assert.equal(
        sayDocument(text, 'ja-JP'),
        official((response) => {
          response.say({ language: 'ja-JP' }, text);
          response.hangup();
        }),
        text,
      );
    }
  });

  it('a message in a language, for which the carrier wants a region', () => {
    const languages = {
      ja: 'ja-JP',
      'ja-JP': 'ja-JP',
      en: 'en-US',
      'en-GB': 'en-GB',
      'zh-Hant': 'zh-TW',
      'not a tag': 'en-US',
    };
    for (const [language, regional] of Object.entries(languages)) {
      assert.ok(sayDocument('a', language).includes(`language="${regional}"`), language);
    }
  });

  it('a fallback number', () => {
    const options = { to: '+81312345678', callerId: '+81312340000', ringTimeoutMs: 25_000 };
    assert.equal(
      dialDocument({
        ...{ ...options, actionUrl: null, extension: null, statusUrl: `${base}/status` },
        statusEvents: ['initiated', 'answered', 'completed'],
      }),
      official((response) => {
        const reports = { statusCallback: `${base}/status`, statusCallbackMethod: 'POST' };
        const dial = response.dial({ timeout: 25, callerId: '+81312340000' });
        dial.number({ statusCallbackEvent: ['initiated', 'answered', 'completed'], ...reports }, '+81312345678');
      }),
    );
  });

  it('a cold transfer with an extension', () => {
    const document = dialDocument({
      to: '+81312345678',
      callerId: '+81312340000',
      ringTimeoutMs: 24_500,
      actionUrl: `${base}/dial?leg=1&name=a"b`,
      extension: 'ww1234#',
      statusUrl: `${base}/status`,
      statusEvents: ['answered'],
    });
    assert.equal(
      document,
      official((response) => {
        const action = `${base}/dial?leg=1&name=a"b`;
        const dial = response.dial({ action, method: 'POST', timeout: 25, callerId: '+81312340000' });
        const reports = { statusCallback: `${base}/status`, statusCallbackMethod: 'POST' };
        const events = { sendDigits: 'ww1234#', statusCallbackEvent: ['answered'] } as const;
        dial.number({ ...events, ...reports, statusCallbackEvent: ['answered'] }, '+81312345678');
      }),
    );
  });

  it('the brief of a warm transfer', () => {
    const text = '山田様からのお電話です。1を押してください。';
    assert.equal(
      briefDocument({ text, language: 'ja-JP', actionUrl: `${base}/brief`, answerTimeoutMs: 15_000 }),
      official((response) => {
        const gathering = { timeout: 15, speechTimeout: 'auto', numDigits: 1, language: 'ja-JP' } as const;
        const gather = response.gather({
          input: ['dtmf', 'speech'],
          action: `${base}/brief`,
          actionOnEmptyResult: true,
          method: 'POST',
          ...gathering,
        });
        gather.say({ language: 'ja-JP' }, text);
        response.hangup();
      }),
    );
  });

  it('a conference', () => {
    const settings = {
      beep: 'false',
      startConferenceOnEnter: true,
      endConferenceOnExit: true,
      waitUrl: '',
      maxParticipants: 2,
    } as const;
    assert.equal(
      conferenceDocument({ name: 'call_1' }),
      official((response) => response.dial().conference(settings, 'call_1')),
    );
    assert.equal(
      conferenceDocument({ name: 'call_1', actionUrl: `${base}/dial` }),
      official((response) => response.dial({ action: `${base}/dial`, method: 'POST' }).conference(settings, 'call_1')),
    );
  });

  it('waiting, and another address', () => {
    assert.equal(
      pauseThenRedirect(`${base}/rejoin`, 2),
      official((response) => {
        response.pause({ length: 2 });
        response.redirect({ method: 'POST' }, `${base}/rejoin`);
      }),
    );
    assert.equal(
      redirectDocument(`${base}/rejoin`),
      official((response) => response.redirect({ method: 'POST' }, `${base}/rejoin`)),
    );
  });
});

describe('Text in documents', () => {
  it('loses what XML cannot contain, and nothing else', () => {
    const all = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
    const text = `a${all}\ud800b\udc00c\ufffed\uffffe😀\u{10fffd}`;
    assert.ok(sayDocument(text, 'ja').includes('>a\t\n&#xD;bcde😀\u{10fffd}</Say>'));
  });

  it('cannot become an element or an attribute', () => {
    const attack = '"/><Dial>+1</Dial><!-- ]]> &amp; \'';
    assert.equal(sayDocument(attack, attack).match(/<[A-Z]/g)?.length, 3);
    const document = redirectDocument(attack) + conferenceDocument({ name: attack, actionUrl: attack });
    assert.equal(document.match(/<[A-Z]/g)?.length, 5);
    assert.ok(document.includes('action="&quot;/&gt;&lt;Dial&gt;'));
  });
});
