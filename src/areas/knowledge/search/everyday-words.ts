import { englishLife } from './everyday/english-life.ts';
import { englishService } from './everyday/english-service.ts';
import { englishTopics } from './everyday/english-topics.ts';
import { japaneseHealth } from './everyday/japanese-health.ts';
import { japaneseLife } from './everyday/japanese-life.ts';
import { japaneseMoreTopics } from './everyday/japanese-more-topics.ts';
import { japaneseService } from './everyday/japanese-service.ts';
import { japaneseShopping } from './everyday/japanese-shopping.ts';
import { japaneseTopics } from './everyday/japanese-topics.ts';
import { japaneseWords } from './everyday/japanese-words.ts';

/**
 * Callers say things in everyday words, and documents write them in formal ones. Each line: what is said, and what it
 * may be called in a document. They are added to a query like synonyms of the base, in this direction only. General
 * words of customer service; those of a business belong into the synonyms of its base.
 */
const japanese = `
子供 子ども こども 赤ちゃん 息子 娘 : お子様 お子さま 乳幼児 小児 未就学児
おばあちゃん おじいちゃん お年寄り 年寄り : 高齢者 ご高齢 シニア
車椅子 車いす 足が悪い 歩けない : バリアフリー 介助
お金 いくら なんぼ 値段 : 料金 費用 代金 価格 金額
ただ タダ : 無料
安く 安い 割安 おまけ : 割引 優待 特典 クーポン
払う 払い 払え 払っ お会計 : 支払 決済 精算
クレカ カード ペイペイ スマホ決済 : クレジットカード 電子マネー キャッシュレス
レシート 領収証 : 領収書
後で払 後払い 分けて払 : 分割払い 請求書
戻ってくる 返して 返ってくる お金返 : 返金 払い戻し
やめたい やめる 辞めたい 取りやめ 行けなくな 行けない 無しに なしに : キャンセル 取消 取り消し 解約 退会
ずらし 変えたい 変える 変えて 別の日 違う日 早めたい : 変更 日程変更
取りたい 取れる 空いて 空き : 予約 空席 空室
遅れ 間に合わ 遅刻 : 遅延 遅れる場合
いつまで 締め切り 締切 : 期限 期日
何時から 何時まで 開いて 開く やって : 営業時間 受付時間 開館 開店
休み 閉まって 閉まる : 休業日 定休日 休館 休診
お正月 年末 大晦日 : 年末年始
土日 日曜 祝日 : 土日祝
停め 止めら 車で行 車で来 駐車 : 駐車場 駐車
自転車 チャリ バイク : 駐輪場
電車 駅から 行き方 どこにあ 場所 : アクセス 最寄り駅 所在地
迎えに 送って : 送迎
壊れ 動かない 動かなく おかしい 調子悪 調子が悪 : 故障 不具合 修理 破損
直し 直せ 直る 治し 治る : 修理 補修 治療
替え 取り替え 換え : 交換
返したい 返す 送り返 : 返品 返却
間違え 違うもの 違うやつ : 誤り 誤配送 商品違い
届かない 届いて 来ない まだ来 : 配達 配送 遅延 未着
届けて 送って 持ってき : 配達 配送 お届け
荷物 : 手荷物 荷物 配送
留守 いない時 いなかった : 不在 再配達
売り切れ 品切れ 入ってき : 在庫 再入荷
なくし 無くし 落とし 忘れて置い 置いてき 置き忘れ 失くし : 紛失 忘れ物 遺失物
盗まれ 取られた : 盗難
忘れ : 紛失 再発行 再設定
暗証番号 パスワード ログインでき 入れない : パスワード 認証 ログイン
つながら 繋がら 切れる 遅い : 接続 通信 速度 障害
ネット : インターネット 回線
ワイファイ ワイハイ 無線 : Wi-Fi
携帯 スマホ ケータイ : スマートフォン 携帯電話 端末
メール 変なメール 怪しい : 不審 迷惑メール 詐欺
偽物 ニセモノ 本物 : 偽サイト 模倣品 正規品
引っ越 引越 : 転居 移転 転入 転出
紙 証明 : 証明書 書類
ハンコ はんこ : 印鑑
住所 : 住民票 所在地
結婚 籍 : 婚姻届 婚礼
離婚 別れ : 離婚届
亡くな 死んだ : 死亡届 逝去 相続
生まれ 出産 : 出生届 妊娠
名字 苗字 名前が変わ : 氏名変更 名義変更 改姓
役所 市役所 区役所 : 市役所 窓口 庁舎
ゴミ ごみ : 廃棄物 収集 分別
大きいゴミ 大きなゴミ 家具 捨て : 粗大ごみ 処分
保険 国保 : 健康保険 保険証
年金 : 国民年金
税金 : 納税 税 課税
歯医者 : 歯科 歯科医院
病院 お医者 : 医療 診療 受診 医院
痛い 痛く 痛み : 痛み 急患 応急
薬 : 服用 処方 お薬
熱 風邪 具合 体調 : 発熱 体調不良
歯ぐき 歯茎 : 歯周病 歯肉
白くし 白く : ホワイトニング 美白
虫歯 : う蝕 むし歯
抜いて 抜く : 抜歯
髪 髪の毛 : ヘア カット 毛髪
切って 切りたい 髪切 : カット
染め 染めて 茶髪 金髪 白髪 : カラー ブリーチ 白髪染め
パーマ くせ毛 まっすぐ : 縮毛矯正 ストレート
美容院 床屋 散髪 : 美容室 ヘアサロン 理容
ご飯 ごはん 飯 食べ : 食事 料理 飲食
昼 お昼 : ランチ 昼食
晩 夜ご飯 晩ごはん 晩ご飯 : 夕食 ディナー
朝ごはん 朝ご飯 : 朝食
お弁当 持ち帰り 持って帰 : テイクアウト 弁当
お酒 飲み 飲める : 飲料 アルコール 酒類
食べられない 食べれない : アレルギー 食事制限 対応
お肉 肉 野菜だけ : ベジタリアン 菜食
席 個室 : お席 座席 個室
借り切 まるごと 貸し切 : 貸切
飲み会 宴会 打ち上げ 二次会 : パーティー 宴会 団体
誕生日 お祝い 記念日 : 記念日 バースデー サプライズ
プレゼント 贈り物 : ギフト ラッピング
犬 猫 ワンちゃん ペット : ペット 同伴
タバコ たばこ 煙草 吸え 吸っ : 喫煙 禁煙
泊まり 泊まる 泊まれ 泊まりたい : 宿泊 お泊まり
宿 旅館 ホテル : 宿泊 旅館 ホテル
お風呂 風呂 : 浴場 温泉 入浴
部屋 : 客室 お部屋
早く着 早めに着 : アーリーチェックイン チェックイン前
遅く着 夜遅く : レイトチェックイン 到着
預け 預かって 置いといて : お預かり 保管
着替え : 更衣室
鍵 カギ : 鍵 ロッカー
会費 月々 毎月 : 月額 月会費
お休みしたい しばらく休 : 休会 休止
入りたい 入会 申し込みたい 始めたい : 入会 加入 申込 手続き
登録 : 会員登録 手続き
お試し 試し 体験 : 体験 見学
ヨガ クラス レッスン : スタジオ レッスン プログラム
子供連れ 子連れ 預けたい : 託児 保育 キッズ
保育園 幼稚園 : 入園 保育
タイヤ スタッドレス : タイヤ交換
へこ 傷 ぶつけ こすっ 擦っ : 板金 塗装 事故 修理
車検 : 車検 点検
代わりの車 代車 : 代車
止まっ 止めて : 停止 利用停止
また使 もう一度使 : 再開
海外 外国 旅行 : 海外 国際 渡航
外国人 英語 : 多言語 通訳
電話 : 電話 連絡先 お問い合わせ
相談 聞きたい : 相談 お問い合わせ
文句 クレーム 気に入らない イメージと違 : 苦情 ご不満 お直し 返金
何持って 持ってくもの 要るもの 必要なもの : 持ち物 必要書類
どのくらい どれくらい どんくらい 何日 何分 何時間 : 所要時間 期間 日数
`;

const english = `
kid, kids, child, boy, girl, son, daughter, baby, toddler : children, family, infant
grandma, grandpa, elderly : seniors, pensioners
wheelchair, walk : accessible, access, step-free
how much, cost, price, expensive, cheap : fee, fees, price, charge, costs
free : charge, complimentary, included
cheaper, deal, money off : discount, offer, voucher
pay, paying, card : payment, cards, cash, invoice
receipt, bill : invoice, receipt
money back : refund
call off, can't make it, can't come, not coming, get out of : cancel, cancellation
quit, stop, leave, get out : cancel, terminate, notice
move, push back, another day, different day, later : change, reschedule, rebook, postpone
book, slot, spot, fit me in, table : booking, reservation, appointment
late, running late, stuck : delay, late arrival
open, opening, what time, still open, closed, shut : hours, opening hours, closed
christmas, new year, easter : holidays, public holidays
park, leave my car, drive : parking, car park
bicycle, bike : bikes, cycle
get there, where are you, how do i find : directions, address, location
pick us up, pick me up, lift, ride : shuttle, transfer, taxi
broken, not working, doesn't work, stopped working, dead : fault, repair, defective, problem
fix, mend : repair
swap, trade : exchange
send back, give back, take back : return, returns
wrong : incorrect, mistake
hasn't arrived, hasn't come, not here, hasn't shown up, where is my : delivery, late, missing, tracking
package, packet, box : parcel, delivery
mail, ship, send : shipping, delivery, post
sold out : stock, availability
lost, left behind, forgot, forgotten, missing : lost property, lost, loss
stolen, robbed : theft
log in, sign in, locked out : password, account, login
wifi, wi-fi, wireless : network, internet, router
down, slow, cuts out : connection, outage, fault
phone, mobile, cell : telephone, mobile phone
tv, telly : television
moved, moving house, new place : move, relocation, address
id, passport : identity card, document
marry, married, wedding, engaged : marriage, wedding
died, passed away : death
born, pregnant : birth, pregnancy
trash, rubbish, garbage, junk : waste, collection, bulky
doctor : medical, practice
tooth, teeth : dental, tooth
hurts, pain, killing me, sore : pain, emergency, ache
hair, haircut, trim : salon, cut
dye, blonde, roots : colour
food, eat, hungry, meal : menu, kitchen, dining, restaurant
dinner : evening meal, restaurant
lunch : midday
vegan, vegetarian, gluten, nuts : allergies, dietary, allergens
takeaway, take out, to go : takeaway, collection
outside : terrace, garden
smoke, cigarette : smoking
birthday, party, celebrate : event, private, celebration
present, gift : voucher, gift
dog, puppy, cat : pets, dogs, animals
stroller, buggy : pram
stay, night : overnight, room
bags, suitcase : luggage
swim, swimsuit : pool
gym, work out, workout, train : fitness, membership, training
try, try out : trial
join, sign up : membership, registration
pause, break : freeze, suspend
locker, changing room : lockers
tyre, tire, wheels : tyres
dent, scratch, crashed : bodywork, paint, damage
check, yearly check, mot : inspection, service, test
cold air : air conditioning
speak to, talk to, complain : contact, complaint
bring : documents, required
how long : duration, takes
`;

export type EverydayWords = readonly (readonly [said: readonly string[], written: readonly string[]])[];

export function everydayWords(language: string): EverydayWords {
  if (/^ja(?:-|$)/i.test(language)) return parsed([...(process.env.NOOLD ? [] : [japanese]), ...(process.env.NONEW ? [] : [japaneseService, japaneseShopping, japaneseHealth, japaneseLife, ...(process.env.NOWORDS ? [] : [japaneseWords]), ...(process.env.NOTOPICS ? [] : [japaneseTopics]), ...(process.env.NOMORE ? [] : [japaneseMoreTopics])])].map((t) => t.trim()).join('\n'), / +/);
  return /^en(?:-|$)/i.test(language) ? parsed([...(process.env.NOOLD ? [] : [english]), ...(process.env.NONEW ? [] : [englishService, englishLife, ...(process.env.NOTOPICS ? [] : [englishTopics])])].map((t) => t.trim()).join('\n'), /, */) : [];
}

function parsed(table: string, separator: RegExp): EverydayWords {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [said = '', written = ''] = line.split(' : ');
      return [said.split(separator), written.split(separator)];
    });
}
