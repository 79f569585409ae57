/**
 * What a prompt is reviewed for where the home has no prompt-criteria.json of its own. Patterns are RE2 without regard
 * to case. The rules of severity high speak of phrases that have hardly another use than to take over a model or to
 * wreck a machine: an ordinary prompt may well say "ignore", "bypass" or "jailbreak". Measured in the test beside it.
 */

/** From worst to mildest. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof severities)[number];

export interface RuleFacts {
  readonly id: string;
  readonly severity: Severity;
  readonly description: string;
  readonly remediation?: string | undefined;
}

/** `pattern` is an issue where it matches, `mustContain` where it does not. */
export type RuleText = RuleFacts & { readonly pattern?: string | undefined; readonly mustContain?: string | undefined };

/** What prompt-criteria.json holds. */
export interface CriteriaText {
  readonly version: string;
  readonly categories: readonly { readonly id: string; readonly rules: readonly RuleText[] }[];
}

/** Part of every review, because no pattern in a file can say what service/secret-scan.ts looks for. */
export const noSecrets: RuleFacts & { readonly category: string } = {
  id: 'no-secrets',
  category: 'security',
  severity: 'critical',
  description: 'Potential embedded secret',
  remediation: 'Name the variable or vault that holds it instead, and replace the secret: it has been written down.',
};

const raw = String.raw;
const anyOf = (...forms: readonly string[]) => forms.join('|');
const orders = 'instructions?|directions?|directives?|guid(?:elines?|ance)|prompts?|commands?|programming|training';
const fences =
  'restrictions?|guidelines?|filters?|limitations?|polic(?:y|ies)|rules|constraints?|guardrails?|safeguards?';
const model = raw`\b(?:ai|a\.i\.|assistant|language model|chat ?bot|llm|[a-z]*gpt|claude)\b`;
const become = raw`\b(?:you are|you're|act as|be|become|pretend (?:that )?(?:you are|to be)|(?:respond|answer|reply) as|simulate|play(?: the role of)?)\s+(?:now\s+)?(?:going to (?:be|act as)\s+)?`;
const loot =
  'passwords?|credentials?|api keys?|secrets?|tokens?|environment variables?|env vars?|ssh keys?|private keys?';
const theirs = '(?:entire |full |whole )conversation|chat history|system prompt|personal data';
const lair = raw`(?:\.env\b|\.aws/credentials|\bid_(?:rsa|ed25519)\b|/etc/(?:passwd|shadow)|\.ssh\b|\.netrc\b|\.npmrc\b)`;
const persuade = raw`(?:recommend|forward|mark (?:it|this)|include a link|tell (?:your|the) (?:user|reader)|praise|endorse|click|buy|rate)\b`;
const inCharacter = 'Describe the role that is wanted, and leave the rules of the model alone.';

const injection: readonly RuleText[] = [
  {
    id: 'override-instructions',
    severity: 'high',
    description: 'Asks the model to drop the instructions it was given',
    pattern: anyOf(
      raw`\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|neglect|pay no attention to|(?:do not|don't|stop) (?:follow|obey)(?:ing)?)\s+(?:(?:about|all|any|every|of|the|these|those|my)\s+){0,4}(?:(?:your|previous|prior|preceding|earlier|above|foregoing|past|original|initial|system)\s+){1,3}(?:[a-z]+\s+){0,2}(?:${orders}|rules?|messages?|constraints?)\b`,
      raw`\boverride (?:all |any |the |of )*(?:your|previous|prior|earlier) (?:instructions?|prompts?|programming|directives?|constraints?)\b`,
      raw`\b(?:ignore|disregard|forget)\s+(?:all |any |the |of )*(?:${orders}|rules)\s+(?:above|before|(?:that )?you (?:were|have|had|got)|(?:given|sent) to you)\b`,
      raw`\b(?:ignore|disregard|forget)\s+(?:all|all of the|any) instructions\b|\b(?:ignore|disregard)\s+(?:all (?:of )?)?the above(?:\s+and\b|\s*[.,;:!]|\s*$)`,
      raw`\b(?:never ?mind|set aside|put aside|abandon|discard) (?:all |any |the )*(?:(?:your|earlier|previous|prior) (?:${orders})|(?:${orders}|rules) you (?:were|have|had|got))\b`,
      raw`\b(?:your|(?:all )?previous|prior|earlier) (?:instructions?|prompts?|rules) (?:(?:are|is|were|have been|has been) )?(?:now |hereby )?(?:cancell?ed|void|revoked|lifted|null)\b`,
      raw`\b(?:ignore|disregard)\s+(?:what(?:ever)? the (?:user|human) (?:asked|asks|wants|requested)|the (?:user|human)'s (?:request|question|instructions))\b`,
      raw`\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|whatever|what)\s+(?:else\s+)?(?:that\s+)?(?:above|before|you(?:'ve| have| were| had| know)|i(?:'ve| have)? (?:said|told)|was (?:said|written)|came before)\b`,
    ),
    remediation: 'Say what is wanted; a prompt does not need to cancel another.',
  },
  {
    id: 'override-instructions-translated',
    severity: 'high',
    description: 'Asks the model, in another language, to drop the instructions it was given',
    pattern: anyOf(
      raw`(?:ignorier\w*|vergiss|vergessen)\s+(?:sie\s+)?(?:alle\s+)?(?:deine\s+|die\s+)?(?:vorherig|bisherig|obig|vorigen|vorangegangen|früher)\pL*\s+(?:anweisung|instruktion|befehl|regel)`,
      raw`(?:ignore[zr]?|oublie[zr]?)\s+(?:toutes\s+)?(?:les|vos|tes)\s+(?:instructions|consignes|règles)\s+(?:précédentes|antérieures|ci-dessus)`,
      raw`(?:ignor[ae]|olvida|esqueça|dimentica)\s+(?:\pL+\s+){0,3}(?:instrucciones|instruções|órdenes|istruzioni)\s+(?:anteriores|previas|precedenti)`,
      raw`(?:игнорируй|забудь)\pL*\s+(?:все\s+)?(?:предыдущие|прежние)\s+(?:инструкции|указания|команды)`,
      raw`(?:忽略|无视|忘记|無視)[^。！？\n]{0,8}(?:之前|以上|先前|上述|前面|所有)[^。！？\n]{0,6}(?:指令|指示|命令|提示|规则)`,
      raw`(?:以前|これまで|上記|前)の(?:すべての|全ての)?(?:指示|命令|指令)を(?:無視|忘れ)`,
    ),
    remediation: 'Say what is wanted; a prompt does not need to cancel another.',
  },
  {
    id: 'escape-persona',
    severity: 'high',
    description: 'Gives the model a persona that is meant to escape its rules',
    pattern: anyOf(
      raw`\bdo anything now\b|\b(?:act(?:ing)?|respond|answer|behave|role-?play(?:ing)?) as (?:if you (?:are|were) )?(?-i:DAN|STAN|AIM)\b|\byou are (?:now |going to be )*(?-i:DAN|STAN|AIM)\b`,
      raw`\[[^\]\w]{0,4}jailbr(?:eak|oken)\]|\b(?:jailbreak|jailbroken|DAN|unfiltered|uncensored) mode\b`,
      raw`\byou(?:'re| are) (?:now |currently )?(?:in|running in) (?:developer|debug|admin|maintenance|sudo|root|god|unrestricted) mode\b`,
      raw`${become}(?:an?\s+|the\s+)?(?:unfiltered|uncensored|unrestricted|amoral|jailbroken|unethical|evil|rogue)(?:,? (?:and )?[a-z]+)? ${model}`,
      raw`\b(?:chatgpt|gpt|claude|assistant)\b[^.\n]{0,30}\bdeveloper mode\b`,
      raw`${become}[^.\n]{0,40}${model}[^.\n]{0,40}\b(?:without|with no|(?:has|have) no|free (?:of|from)) (?:(?:any|all|its|the) )*(?:[a-z]+ )?(?:${fences}|limits|censorship|ethics|morals)\b`,
      raw`\byou are no longer (?:bound|restricted|limited|constrained|governed)\b|\byou are not bound by (?:any|your|the|its|their)\b`,
      raw`\b(?:stop|cease|quit|forget(?: that)?) (?:being|acting as|behaving like|you are|you're) an? (?:[a-z]+ )?${model}`,
    ),
    remediation: inCharacter,
  },
  {
    id: 'lift-safeguards',
    severity: 'high',
    description: 'Claims that safeguards of the model are lifted, or asks to lift them',
    pattern: anyOf(
      raw`\b(?:without|free (?:of|from)|not bound by|bypass|circumvent|evade|ignor(?:e|ing)) (?:(?:all|any|of|your|its|the|my|usual|normal) ){0,4}(?:(?:ethical|moral|safety|content|openai(?:'s)?|anthropic(?:'s)?|and|or) ?){1,4}(?:${fences})\b`,
      raw`\byou (?:now )?(?:have|had|follow) no (?:[a-z]+ ){0,2}(?:restrictions|guidelines|filters|content polic(?:y|ies)|rules)\b`,
      raw`\b(?:respond|answer|reply|speak|talk) (?:[a-z]+ )?without (?:any |all )?(?:${fences}|censorship)\b|\byou are free (?:of|from) (?:all |any |your |every )+(?:${fences})\b`,
      raw`\b(?:disable|deactivate|turn off|switch off|remove|bypass|override|suspend|drop) (?:all |any |of )*your (?:(?:(?:safety|content|ethical|moral|moderation|internal) ){1,2}(?:${fences}|protocols|mechanisms|checks)|(?:[a-z]+ )?(?:guardrails|safeguards|restrictions|guidelines))\b`,
      raw`\b(?:safety|content|ethical|moral) (?:${fences}|checks|protocols) (?:(?:are|is|have been|has been) )?(?:now |hereby )?(?:disabled|off|lifted|removed|suspended|void)\b`,
      raw`\b(?:not allowed to|forbidden to) refuse\b|\bnever (?:ever )?refuse(?: (?:any|anything|to|me|my|requests?|a request|and)\b|\s*[.,;!]|\s*$)|\b(?:cannot|can't|must not|may not|do not|don't) refuse (?:any|to answer|a request|requests?|my|me)\b`,
      raw`\bcomply with (?:every|any|each) (?:request|command)s?\b`,
    ),
    remediation: inCharacter,
  },
  {
    id: 'reveal-prompt',
    severity: 'high',
    description: 'Asks the model to give away its own instructions',
    pattern: anyOf(
      raw`\b(?:reveal|show|print|repeat|output|display|tell|give|share|leak|expose|dump|recite|disclose|return|quote|write out|what(?:'s| is| are| was| were))\s+(?:me\s+|us\s+|back\s+|out\s+)?(?:(?:all|of|the|exact|full|entire|complete|verbatim|text|contents?)\s+){0,5}your\s+(?:(?:exact|full|entire|own|very)\s+)?(?:(?:(?:system|initial|original|hidden|secret|confidential|internal|developer|first|base|underlying)\s+){1,2}(?:${orders}|rules)|system messages?|(?:prompt|instructions)\s+(?:verbatim|word for word|above))\b`,
      raw`\b(?:tell me|show me|give me|print|output|reveal|repeat|recite) your (?:prompt|instructions)(?:\s*[.,;:!?]|\s*$|\s+(?:exactly|in full|as|and|to me)\b)`,
      raw`\b(?:tell|write|describe|list|say|show|print|output|paraphrase|translate|encode|summari[sz]e)\b[^.\n]{0,40}\byour (?:own )?(?:(?:hidden|secret|confidential|system|initial) (?:prompt|instructions)|system message)\b`,
      raw`\bwhat (?:rules|instructions|guidelines|orders) (?:were|have) you (?:been )?(?:given|told)\b`,
      raw`\b(?:reveal|share|show|print|tell|give|disclose)\s+(?:me\s+)?the\s+(?:hidden|secret|confidential|internal) (?:prompt|instructions|directives)\b`,
      raw`\b(?:reveal|repeat|leak|expose|disclose|recite|dump)\s+(?:me\s+)?(?:all of\s+)?(?:the|this)\s+(?:(?:full|entire|exact|hidden|secret)\s+)*system (?:prompt|message|instructions)\b`,
      raw`\b(?:repeat|print|output|copy|echo|return)\s+(?:back\s+)?(?:the words|the text|all the text|everything|all text|all of the text|the prompt|the instructions)\s+(?:above|before this|that came before)\b`,
    ),
    remediation: 'Ask for the answer, not for the instructions behind it.',
  },
  {
    id: 'forged-frame',
    severity: 'high',
    description: 'Imitates the marks with which a system sets its own messages apart',
    pattern: anyOf(
      raw`<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[/?INST\]|<</?SYS>>|</?(?:system|system_prompt|system-prompt)>|\[/system\]|\[system\]:? you\b`,
      raw`(?m:^[ \t>#*\["-]{0,8}(?:system|developer|admin)(?: (?:message|prompt|override|note|notice))?[\]*"]{0,3}[ \t]*:[ \t*]*(?:you (?:must|will|should|have to|now)|ignore|override|disregard|from now))`,
      raw`(?m:^[ \t]*[-=#*<\[]{2,12}[ \t]*end of (?:the )?(?:system )?(?:prompt|instructions|user input|user query|context|document|untrusted))`,
      raw`\b(?:new|real|actual) (?:system )?(?:instructions?|directives?|prompt)\s*:|\byour (?:new|real|true) (?:instructions?|directives?|objectives?|identity|master) (?:is|are)\b`,
    ),
    remediation: 'Write plain text; quote such marks in a code block of an attached file if they are the subject.',
  },
  {
    id: 'steal-data',
    severity: 'high',
    description: 'Asks to send private data away or to act behind the back of the person',
    pattern: anyOf(
      raw`\b(?:send|post|upload|forward|e-?mail|transmit|exfiltrate|leak|submit|append)\s+[^.\n]{0,30}\b(?:(?:all|any|every|the user(?:'s)?|their|users'?)\s+(?:[a-z]+\s+){0,3}(?:${loot}|${theirs})|(?:your|the|this)\s+(?:${theirs}))\b[^\n]{0,80}\b(?:to|at|into)\s+(?:https?:|[\w.+-]{1,40}@|(?:this|my|the following|an external|attacker)\b)`,
      raw`\b(?:passwords|credentials|api keys|secrets|environment variables|private keys?|ssh keys?)\b[^\n]{0,60}\b(?:send|post|upload|forward|e-?mail|transmit) (?:it|them|these|those|everything) to (?:https?:|[\w.+-]{1,40}@|my\b)`,
      raw`\b(?:secretly|covertly|silently|quietly)\s+(?:send|upload|forward|exfiltrate|transmit|e-?mail|post|copy|leak)\b`,
      raw`\b(?:send|post|upload|forward|e-?mail|transmit|curl|paste)\b[^\n]{0,60}${lair}[^\n]{0,60}(?:https?:|\w@|webhook)|${lair}[^\n]{0,60}\b(?:send|post|upload|forward|e-?mail) (?:it|them|the contents?) to\b`,
      raw`\$\((?:cat|base64|head)\s+[^)\n]{0,40}${lair}|\b(?:curl|wget|nc)\s[^\n]{0,80}\$\((?:env|printenv)\b`,
      raw`\bexfiltrat(?:e|ing)\s+(?:(?:all|any|the|your|their|every)\b|(?:[a-z]+ ){0,3}to\b)|\bwithout (?:the )?(?:user|them|anyone|human)(?:'s)? (?:knowing|noticing|knowledge|consent|approval)\b`,
      raw`!\[[^\]]{0,80}\]\(https?://[^)\s]{1,120}[?&][^)\s]{0,60}(?:\{|%7b|secret|token|prompt|history|conversation)`,
    ),
    remediation: 'Name the data, the receiver and who agreed to it, or leave the transfer to a tool that asks first.',
  },
  {
    id: 'claimed-authority',
    severity: 'high',
    description: 'Claims an authority over the model that a prompt cannot give',
    pattern: anyOf(
      raw`\b(?:i am|i'm|this is) your (?:[a-z]+ )?(?:developer|creator|administrator|admin|programmer|maker|master)\b|\bas your (?:creator|developer),`,
      raw`\b(?:i am|i'm|this is) the (?:[a-z]+ )?(?:developer|creator|administrator|admin|owner|maker) of this (?:chat ?)?(?:bot|model|assistant|ai)\b`,
      raw`\b(?:i am|i'm|i work|this is|message) (?:[a-z]+ ){0,4}(?:from|for|at|with) (?:openai|anthropic)\b[^\n]{0,60}\b(?:override|authori[sz]|unlock|disable|bypass|reveal|ignore)`,
      raw`\bi (?:hereby )?(?:command|order|authori[sz]e) you to\b`,
      raw`\b(?:admin(?:istrator)?|developer|root|system|emergency|security) override (?:code|accepted|enabled|activated|granted|:)`,
    ),
    remediation: inCharacter,
  },
  {
    id: 'encoded-order',
    severity: 'high',
    description: 'Hides what is to be done in an encoding',
    pattern: raw`\b(?:decode|decrypt|base64|rot13|unscramble)\b[^\n]{0,80}\b(?:and|then)\s+(?:follow|obey|comply|do (?:what|exactly)|execute (?:the|its|those) (?:${orders}))`,
    remediation: 'Put the request into the prompt itself, in plain words.',
  },
  {
    id: 'planted-persuasion',
    severity: 'high',
    description: 'Is planted for a model that only reads the text, to turn it against its reader',
    pattern: anyOf(
      raw`(?:${model}|\bais|\bllms|\bassistants|\bagents|\bmodels)[^\n]{0,40}\b(?:reading|processing|summari[sz]ing|parsing) this\b[^\n]{0,40}\b${persuade}`,
      raw`\bwhen (?:reading|processing|summari[sz]ing) this (?:page|document|e-?mail|text|message)\b[^\n]{0,60}\b(?:must|should|always)\b[^\n]{0,20}\b${persuade}`,
      raw`\b(?:note|message) to (?:the |any |all )?(?:llm|ai|language model)s?\s*:[^\n]{0,40}\b(?:do not|don't|never) (?:mention|tell|reveal|report)\b`,
    ),
    remediation: 'Remove it: text that is read is not text that gives orders.',
  },
  {
    id: 'planted-order',
    severity: 'medium',
    description: 'Speaks to whatever model reads the text, rather than to the one that is asked',
    pattern: anyOf(
      raw`\bif you(?:'re| are) (?:an? )?(?:[a-z]+ )?${model}[^\n]{0,20}\b(?:reading|processing|summari[sz]ing|reviewing|parsing|evaluating)\b`,
      raw`\b(?:ais?|llms?|assistants?|agents?|chatbots?|models?) (?:that (?:are|is) )?(?:reading|processing|summari[sz]ing|parsing) this\b`,
      raw`\b(?:note|message) to (?:the |any |all )?(?:llm|ai|language model)s?\s*:`,
    ),
    remediation: 'Speak to the model that is asked; keep quoted text apart from the request.',
  },
  {
    id: 'kept-from-user',
    severity: 'medium',
    description: 'Asks the model to keep something from the person it works for',
    pattern: raw`\b(?:do not|don't|dont|never|without) (?:tell|inform|alert|notify|mention(?:ing)?|telling|informing)\b[^.\n]{0,30}\b(?:the )?(?:user|human|person|owner)s?\b`,
    remediation: 'Say why it may not be told, or tell it.',
  },
  {
    id: 'hidden-characters',
    severity: 'high',
    description: 'Holds characters that people do not see and models do',
    pattern: raw`[a-z][\x{200B}\x{2060}\x{FEFF}\x{200D}][a-z]|[\x{202D}\x{202E}]|[\x{E0020}-\x{E007E}]{12}`,
    remediation: 'Type the text again, or remove everything that is not visible.',
  },
];

const clarity: readonly RuleText[] = [
  {
    id: 'open-ended-list',
    severity: 'low',
    description: 'A list that is left open',
    pattern: raw`\betc\b\.?|\band so (?:on|forth)\b|\band the like\b|\band others?\b\.|\band similar (?:things|stuff)\b`,
    remediation: 'Name everything that is meant, or the rule by which it can be told.',
  },
  {
    id: 'vague-condition',
    severity: 'low',
    description: 'A condition that everybody reads differently',
    pattern: raw`\b(?:as|where|when|if) (?:appropriate|applicable|necessary|needed|possible|required|suitable|you see fit)\b`,
    remediation: 'Say when it applies.',
  },
  {
    id: 'vague-word',
    severity: 'low',
    description: 'A word that leaves open what is meant',
    pattern: raw`\b(?:stuff|somehow|asap|and/or|some (?:kind|sort) of|things like (?:that|this)|whatever works|make it (?:nice|better|good|pop))\b`,
    remediation: 'Say what is meant, with a number or an example.',
  },
  {
    id: 'missing-audience',
    severity: 'info',
    description: 'Does not say for whom the answer is',
    mustContain: raw`\b(?:audience|reade?rs?|users?|customers?|clients?|beginners?|novices?|experts?|developers?|engineers?|teams?|students?|children|kids|managers?|stakeholders?|reviewers?|colleagues?|newcomers?|for (?:me|us|my|our|an? [a-z]+(?:er|or|ist)))\b`,
    remediation: 'Say who reads the answer and what they know already.',
  },
  {
    id: 'missing-role',
    severity: 'info',
    description: 'Does not say in which role the model answers',
    mustContain: raw`\b(?:you are|you're|act as|as an? [a-z]+|your (?:role|job|task)|role|imagine you|pretend|persona|expert)\b`,
    remediation: 'Begin with the role: "You are a reviewer of …".',
  },
];

const scope: readonly RuleText[] = [
  {
    id: 'unbounded-scope',
    severity: 'low',
    description: 'Asks for more than can be given',
    pattern: raw`\beverything (?:you know |there is )?(?:about|on)\b|\b(?:all|every) (?:possible|conceivable|imaginable)\b|\bas (?:many|much|long) as (?:possible|you can)\b|\bwithout (?:any )?(?:length |word |size )?limits?\b|\bno (?:word|length|size|token|time) limits?\b|\bin (?:every|all|full) details?\b|\bevery single\b`,
    remediation: 'Set a number, a length or an end.',
  },
  {
    id: 'endless-work',
    severity: 'medium',
    description: 'Asks for work without an end',
    pattern: raw`\b(?:never|don't ever|do not ever) stop\b|\b(?:forever|indefinitely|in an endless loop)\b|\buntil (?:i|we) (?:say|tell you to) stop\b|\bkeep (?:going|generating|trying|looping) (?:until|forever|no matter)\b`,
    remediation: 'Say after how many attempts or minutes the work ends.',
  },
];

const disk = '/dev/(?:sd|hd|vd|nvme|disk|mmcblk)';

const commands: readonly RuleText[] = [
  {
    id: 'destroys-files',
    severity: 'high',
    description: 'A command that deletes a home, a system or everything in reach',
    pattern: raw`\brm\s+(?:-{1,2}[a-z-]+\s+){1,4}["']?(?:/(?:$|[\s*"';&|]|(?:bin|boot|etc|home|lib|root|usr|var)/?(?:$|[\s*"';&|]))|~/?(?:$|[\s*"';&|])|\$\{?HOME\b|\*(?:$|\s)|\.{1,2}/?(?:$|\s))|\b(?:del|erase|rd|rmdir)\s+(?:/[a-z]\s+){1,3}["']?(?:[a-z]:\\|%|\*)|\bRemove-Item\b[^\n]{0,60}\b[a-z]:\\(?:\s|\*|windows|users)`,
    remediation: 'Name the one folder that may go, or ask for a dry run first.',
  },
  {
    id: 'destroys-disk',
    severity: 'high',
    description: 'A command that overwrites a disk or halts the machine',
    pattern: raw`\bmkfs(?:\.[a-z0-9]+)?\s+(?:-\S+\s+)*/dev/|\bdd\s[^\n]{0,80}\bof=${disk}|>\s*${disk}|\b(?:shred|wipefs)\s[^\n]{0,40}${disk}|\bformat\s+[c-z]:\s*/|:\s?\(\)\s?\{\s?:\s?\|\s?:\s?&\s?\}\s?;\s?:`,
    remediation: 'Leave such commands to a person at the machine.',
  },
  {
    id: 'runs-download',
    severity: 'medium',
    description: 'Runs what it downloads without a look at it',
    pattern: raw`\b(?:curl|wget)\s[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\b(?:iex|invoke-expression)\b[^\n]{0,60}\b(?:iwr|irm|invoke-webrequest|downloadstring)\b`,
    remediation: 'Download, check the hash, then run.',
  },
  {
    id: 'destroys-data',
    severity: 'medium',
    description: 'A command that drops data, rewrites history or opens rights to everybody',
    pattern: raw`\bdrop\s+(?:table|database|schema)\s+[\w."]+|\btruncate\s+table\s+\w|\bdelete\s+from\s+[\w."]+\s*;|\bgit\s+push\s[^\n]{0,60}(?:--force|-f)(?:\s|$)|\bgit\s+(?:reset\s+--hard|clean\s+-[a-z]*f)|\bchmod\s+(?:-r\s+)?(?:0?777|a\+rwx)\b|\b(?:delete|erase|wipe|destroy)\s+(?:all|every|everything)\b[^.\n]{0,30}\b(?:on|in|from) (?:the|this|my|your) (?:system|computer|machine|server|disk|drive|database)\b`,
    remediation: 'Say that a backup comes first, and who confirms.',
  },
];

export const defaultCriteria: CriteriaText = {
  version: '1.0.0',
  categories: [
    { id: 'prompt-injection', rules: injection },
    { id: 'clarity', rules: clarity },
    { id: 'scope', rules: scope },
    { id: 'destructive-command', rules: commands },
  ],
};
