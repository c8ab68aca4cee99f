import { englishFillers } from './fillers.ts';

/** `unclear` keeps a longer ending from being taken for a shorter one: すいか is not a question. */
export type Ending = 'finished' | 'open' | 'unclear';

/** Endings by their last character, the longest first. */
export type Suffixes = ReadonlyMap<string, readonly (readonly [text: string, ending: Ending])[]>;

/** Texts that are joined by a separator, by what they mean. */
type Lists = { readonly [Meaning in Ending]?: readonly string[] };

function tableOf(lists: Lists, separator: string): ReadonlyMap<string, Ending> {
  return new Map(
    Object.entries(lists).flatMap(([ending, texts]) =>
      texts.flatMap((list) => list.split(separator)).map((text) => [text, ending as Ending] as const),
    ),
  );
}

function suffixes(lists: Lists): Suffixes {
  const endings = [...tableOf(lists, '、')].sort(([one], [other]) => other.length - one.length);
  return Map.groupBy(endings, ([text]) => text.at(-1) as string);
}

/** Open even with a full stop behind it. */
export const japaneseStrongOpen = suffixes({
  open: [
    'あの、えっと、えーと、えーっと、ええと、ええっと、えーとですね、えっとですね、あのー、あのう、あのですね、あのね、そのー',
    'あー、うー、うーん、うーんと、んーと、えー、んー、なんていうか、なんて言うか、なんだっけ、何だっけ',
  ],
});

export const japaneseEndings = suffixes({
  finished: [
    // Polite forms.
    'です、ます、ません、でした、ました、でしょう、ましょう、ください、下さい、くださいませ、なさい、ちょうだい、頂戴',
    'ですね、ますね、ましたね、でしたね、ですよ、ますよ、ますよね、ですよね、ませんね、ませんよ、だよ、だね、だよね、ですわ',
    'お願い、おねがい、よろしく、ありがとう、どうも、結構、大丈夫、以上、さようなら、失礼、さよなら',
    // か asks after a verb, an adjective or the copula; after a noun it need not.
    'すか、せんか、しょうか、たか、るか、うか、くか、つか、むか、ぶか、ぐか、いか、のか、んか、かな、かね、かしら、だっけ、ですっけ',
    'ちょっと待って、待ってて、待ってね、もう一回言って、もう一度言って、やめてよ、教えてよ',
  ],
  open: [
    'とか、しか、どうか、なんか、というか、ていうか、か何か、かなんか、だか',
    // Clauses that something follows.
    'が、けど、けれど、けれども、けども、から、ので、のに、ため、ために、ように、ながら、たり、だり、つつ、たら、だら、なら、れば、えば、けば、せば、てば',
    'いし、だし、ですし、ますし、るし、たし、ないし、ときは、場合、場合は、を、は、と、って、という、ちょっと、について、に関して',
    'て、んで、いで、なくて、だって、それで、そこで、そして、それから、それと、あと、でも、しかし、ただ、だから、なので、ですから、ちなみに',
    '例えば、たとえば、つまり、または、もしくは、あるいは、それか、その、まあ、まぁ、ほら、実は',
  ],
  unclear: [
    'いつか、何か、なにか、誰か、だれか、どこか、いくつか、いくらか、何人か、どれか、どちらか、すいか、はるか、ゆたか、あたたか、まさか、たしか',
    // People open with an apology, and answer with it.
    'こんにちは、こんばんは、すみません、すいません、申し訳ありません、ごめんなさい、そうですね、そうですねえ',
    // 予約したいんですけど is a request as well as a beginning: waiting 2.5 s after it made every call start slowly.
    'たいんですけど、たいんですけども、たいんですけれど、たいんですけれども、たいんですが、たいのですが、たいのですけれど、たいのですけれども',
    'こと、ひと、もっと、きっと、ずっと、おっと、ほっと、ほんと、やっと、では、それでは、とは、わたし、あたし、しるし',
    '何でも、なんでも、いつでも、誰でも、だれでも、どこでも、どれでも、どちらでも',
    // Requests in the te-form are complete, and may go on: 待って, 待っている. A long wait would hurt as much as a short one.
    '待って、まって、教えて、おしえて、助けて、やめて、止めて、来て、見せて、聞かせて、切って、代わって、つないで、繋いで、急いで',
    // These are no te-forms: 3時くらいで is an answer.
    'くらいで、ぐらいで',
    'すべて、全て、初めて、はじめて、改めて、あらためて、せめて、果て、表、宛て、あて',
  ],
});

/** Open even with a full stop behind it. */
export const englishStrongOpen = tableOf(
  {
    open: [
      'um,umm,uh,uhh,uhm,er,erm,and,but,because,or,mr,mrs,ms,dr,let me see,let me think,you know,i mean',
      "let's see,and then,and so,so um,the,dot,dash,hyphen,underscore",
    ],
  },
  ',',
);

/** Open if nothing else was said. */
export const englishHolding: ReadonlySet<string> = new Set([
  ...englishFillers,
  ...'err|eh|lets see|kind of|sort of|okay so'.split('|'),
]);

export const englishEndings = tableOf(
  {
    finished: [
      "please,thanks,thank you,thank you so much,bye,goodbye,that's all,that's it,that is all,that's right",
      "that's correct,that's fine,that's everything,no thanks,no thank you,yes please,that works,sounds good,of course",
      'for now,right now,as possible,i guess,are you from,is it for',
      'what is it,what time is it,how much is it,how much is that,how much is this,who is it,where is it,when is it,what is that',
    ],
    open: [
      'so,if,while,although,unless,until,since,whereas,which,whose,than,as,plus,also,like,cause,cuz,double,triple',
      'a,an,my,your,our,his,their,its,every,to,for,of,with,from,at,by,into,about,between',
      "is,are,was,were,am,be,i'm,it's,he's,she's,they're,we're,you're,i'd,i'll,i've,we'd,we'll,we've,can,could,would,should",
      "will,want,need,would like,i'd like,i want,i need,i was,i have,my name is,the number is,there is,there's,i think",
      'very,just,basically,kind of,sort of,as well as,such as,for example',
    ],
    unclear: [
      // Short answers and requests that are complete, and may go on.
      'what i want,all i want,what i need,all i need,you can,we can,they can,yes i am,yes it is,it is,i am,i can,i will,i would,i could,i should,yes i can,i think so,i hope so,i guess so,it like,plan a,vitamin a',
      'what for,just about,nothing to speak of',
      "i'd like to,i want to,wait,hold on,one moment,one second,just a second,just a moment",
    ],
  },
  ',',
);
