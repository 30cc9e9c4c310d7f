// Colours of the texts: one regular expression for each language, whose groups name the classes.

const IR =
  /(?<c>\/\/.*)|(?<s>"(?:[^"\\]|\\.)*")|(?<v>%[\w.$-]+(?:#\d+)?)|(?<t>[!#][\w.]+|\btensor\b|\b[iuf]\d+\b|\bbf16\b|\bindex\b)|(?<k>\^\w+|@[\w.$-]+|\b(?:symbols|checks|apply|iter_args|attributes|to|step|else|true|false|loc)\b)|(?<o>\b[a-z_]\w*\.[\w.]+)|(?<n>-?\b(?:0x[\dA-Fa-f]+|\d[\d.]*(?:e[+-]?\d+)?)\b)/g;
const PYTHON =
  /(?<c>#.*)|(?<s>[rbfRBF]{0,2}(?:"""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))|(?<k>\b(?:and|as|assert|async|await|break|class|continue|def|del|elif|else|except|False|finally|for|from|global|if|import|in|is|lambda|match|case|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield)\b)|(?<o>\b\w+(?=\())|(?<t>@[\w.]+)|(?<n>\b(?:0x[\dA-Fa-f]+|\d[\d_.]*(?:e[+-]?\d+)?)\b)/g;
const LLVM =
  /(?<c>;.*)|(?<s>"(?:[^"\\]|\\.)*")|(?<v>%[\w.$-]+|@[\w.$-]+)|(?<t>\b(?:i\d+|float|double|half|bfloat|ptr|void|x|addrspace)\b)|(?<k>\b(?:define|declare|attributes|target|source_filename)\b|^\w+:)|(?<o>(?:(?<== )|(?<=^ {2}))[a-z_]+\b)|(?<n>-?\b(?:0x[\dA-Fa-f]+|\d[\d.]*(?:e[+-]?\d+)?)\b)/g;
const ASSEMBLY =
  /(?<c>\/\/.*|\/\*.*?\*\/)|(?<s>"(?:[^"\\]|\\.)*")|(?<v>%\w+|@!?%?U?P\w+|\bU?[RP]\d+\b|\bU?RZ\b|\bPT\b)|(?<k>^\s*\.\w+|^[$.\w]+:)|(?<o>\b[A-Z][A-Z\d]+(?:\.[\w.]+)*|\b[a-z]\w*(?:\.[\w.]+)+\b)|(?<n>-?\b(?:0x[\dA-Fa-f]+|\d[\d.]*)\b)/g;
const AMDGCN =
  /(?<c>;.*)|(?<s>"(?:[^"\\]|\\.)*")|(?<v>\b[svam](?:\d+|\[\d[\d:]*\])|\b(?:vcc|exec|scc|m0|off)\b)|(?<k>^\s*\.\w+|^[$.\w]+:)|(?<o>\b[a-z]+_\w+)|(?<n>-?\b(?:0x[\dA-Fa-f]+|\d[\d.]*)\b)/g;

const LANGUAGES = { python: PYTHON, ir: IR, llir: LLVM, ptx: ASSEMBLY, amdgcn: AMDGCN, sass: ASSEMBLY };

/** Give the text of an element its colours; the text stays what it is. */
function colour(element, language) {
  const pattern = LANGUAGES[language] ?? IR;
  const text = element.textContent;
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > end) parts.push(text.slice(end, found.index));
    const span = document.createElement("span");
    span.className = Object.keys(found.groups).find((name) => found.groups[name] !== undefined);
    span.textContent = found[0];
    parts.push(span);
    end = found.index + found[0].length;
  }
  element.replaceChildren(...parts, text.slice(end));
}
