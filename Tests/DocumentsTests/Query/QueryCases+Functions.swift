extension QueryCase {
    static let functions: [QueryCase] = [
        // length
        QueryCase("$[?length(@.a)>=2]", #"[{"a":"ab"},{"a":"d"}]"#, #"{"a":"ab"}"#),
        QueryCase(
            "$[?length(@)==2]",
            #"["ab","😀é","a",[1,2],{"a":1,"b":2},12]"#,
            #""ab""#,
            #""😀é""#,
            "[1,2]",
            #"{"a":1,"b":2}"#
        ),
        QueryCase(
            "$[?length(@)==1]",
            #"["\ud83d\ude00","\u0061","\n"]"#,
            #""\ud83d\ude00""#,
            #""\u0061""#,
            #""\n""#
        ),
        QueryCase("$[?length(@)==0]", #"["",[],{},null]"#, #""""#, "[]", "{}"),
        QueryCase("$[?length(@)==length(@.no)]", #"[1,true,null,"a"]"#, "1", "true", "null"),
        QueryCase("$[?length(@.a)>=2]", "[1,null]"),
        QueryCase("$[?length('abc')==3]", "[1]", "1"),
        QueryCase("$[?length(1)==1]", "[1]"),
        QueryCase("$[?length(true)==@.no]", "[1]", "1"),
        QueryCase("$[?length(value(@.a))==2]", #"[{"a":"ab"}]"#, #"{"a":"ab"}"#),
        QueryCase(
            "$[?length(value(@..a))==2]",
            #"[{"a":"ab"},{"a":"ab","b":{"a":1}}]"#,
            #"{"a":"ab"}"#
        ),
        QueryCase("$[?length(value($.a))==1]", #"{"a":[9],"b":[1]}"#, "[9]", "[1]"),
        QueryCase("$[?2<=length(@)]", #"["a","bc"]"#, #""bc""#),
        QueryCase(
            "$[?length(@) == count(@.*)]",
            #"[[1],{"a":1,"b":2},"a"]"#,
            "[1]",
            #"{"a":1,"b":2}"#
        ),
        QueryCase("$[?length(@)==1e0]", #"["a"]"#, #""a""#),
        // count
        QueryCase(
            "$[?count(@.*)==2]",
            "[[1,2],[1],{\"a\":1,\"b\":2},5]",
            "[1,2]",
            "{\"a\":1,\"b\":2}"
        ),
        QueryCase("$[?count(@..*)>2]", "[[[1,2]],[1,2],[1]]", "[[1,2]]"),
        QueryCase("$[?count(@.a)==1]", #"[{"a":1},{"b":1}]"#, #"{"a":1}"#),
        QueryCase("$[?count(@.a)==0]", #"[{"a":1},{"b":1}]"#, #"{"b":1}"#),
        QueryCase("$[?count(@)==1]", "[1]", "1"),
        QueryCase("$[?count(@['a','b'])==2]", #"[{"a":1,"b":2},{"a":1}]"#, #"{"a":1,"b":2}"#),
        QueryCase("$[?count(@['a','a'])==2]", #"[{"a":1}]"#, #"{"a":1}"#),
        QueryCase("$[?count($.*)==3]", "[1,2,3]", "1", "2", "3"),
        QueryCase("$[?count(@[?@>1])>1]", "[[1,2],[2,3]]", "[2,3]"),
        QueryCase("$[?count(@.a)==2]", #"[{"a":1,"a":2}]"#, #"{"a":1,"a":2}"#),
        // value
        QueryCase("$[?value(@.*)==4]", "[[4],{\"a\":4},[5],[4,4],[]]", "[4]", "{\"a\":4}"),
        QueryCase(
            "$[?value(@..color)=='red']",
            #"[{"x":{"color":"red"}},{"color":"red","y":{"color":"red"}}]"#,
            #"{"x":{"color":"red"}}"#
        ),
        QueryCase("$[?value(@.a)==null]", #"[{"a":null},{}]"#, #"{"a":null}"#),
        QueryCase("$[?value(@.a)==@.b]", #"[{"c":1},{"a":1}]"#, #"{"c":1}"#),
        QueryCase("$[?value(@[0:1])==1]", "[[1,2]]", "[1,2]"),
        // match
        QueryCase("$[?match(@.a,'a.*')]", #"[{"a":"ab"},{"a":"ba"},{"b":"ab"}]"#, #"{"a":"ab"}"#),
        QueryCase("$[?match(@,'a.*')]", #"["a","abc","ba",1,null,["a"]]"#, #""a""#, #""abc""#),
        QueryCase("$[?!match(@,'a.*')]", #"["a","ba"]"#, #""ba""#),
        QueryCase("$[?match(@,'ab|c')]", #"["ab","c","abc","a"]"#, #""ab""#, #""c""#),
        QueryCase("$[?match(@,'a|ab')]", #"["ab","a"]"#, #""ab""#, #""a""#),
        QueryCase("$[?match(@,'')]", #"["","a"]"#, #""""#),
        QueryCase("$[?match('abc','a.c')]", "[1]", "1"),
        QueryCase("$[?match(1,'a')]", "[1]"),
        QueryCase("$[?match(@,1)]", #"["1"]"#),
        QueryCase("$[?match(@,null)]", #"["null"]"#),
        QueryCase("$[?match(@.no,'.*')]", #"["a"]"#),
        QueryCase(
            "$[?match(@.a,@.r)]",
            #"[{"a":"ab","r":"a."},{"a":"ab","r":"b"}]"#,
            #"{"a":"ab","r":"a."}"#
        ),
        QueryCase(
            "$.v[?match(@.a,$.r)]",
            #"{"r":"b.?b","v":[{"a":"bcb"},{"a":"bb!"}]}"#,
            #"{"a":"bcb"}"#
        ),
        QueryCase("$.v[?match(@,value($..['r']))]", #"{"r":"b.?b","v":["bab","bba"]}"#, #""bab""#),
        QueryCase(
            "$[?match(@,'.')]",
            #"["\u2028","\r","\n","a","😀","",true]"#,
            #""\u2028""#,
            #""a""#,
            #""😀""#
        ),
        QueryCase("$[?match(@,'a.b')]", #"["a𐄁b","ab","1"]"#, #""a𐄁b""#),
        QueryCase(#"$[?match(@,'a\\.c')]"#, #"["abc","a.c"]"#, #""a.c""#),
        QueryCase(#"$[?match(@,'a[.b]c')]"#, #"["abc","a.c","axc"]"#, #""abc""#, #""a.c""#),
        QueryCase(#"$[?match(@,'a\\\\.c')]"#, #"["abc","a.c","a\\c","a\\bc"]"#, #""a\\bc""#),
        QueryCase(#"$[?match(@,'a\\[.c')]"#, #"["abc","a[.c","a[xc"]"#, #""a[.c""#, #""a[xc""#),
        QueryCase(#"$[?match(@,'a[\\].]c')]"#, #"["abc","a.c","a]c"]"#, #""a.c""#, #""a]c""#),
        QueryCase(#"$[?match(@,'\\p{Lu}')]"#, #"["ж","Ж","1","A","жЖ"]"#, #""Ж""#, #""A""#),
        QueryCase(#"$[?match(@,'\\P{Lu}')]"#, #"["ж","Ж","1"]"#, #""ж""#, #""1""#),
        QueryCase(#"$[?match(@,'\\p{L}+')]"#, #"["aЖ","a1"]"#, #""aЖ""#),
        QueryCase(#"$[?match(@,'[\\p{Nd}-]+')]"#, #"["1-2","1a","٣"]"#, #""1-2""#, #""٣""#),
        QueryCase("$[?match(@,'[^a]')]", #"["a","b","\n"]"#, #""b""#, #""\n""#),
        QueryCase("$[?match(@,'[a-c]{2,3}')]", #"["a","ab","abc","abca"]"#, #""ab""#, #""abc""#),
        QueryCase("$[?match(@,'a{2}')]", #"["a","aa","aaa"]"#, #""aa""#),
        QueryCase("$[?match(@,'a{2,}')]", #"["a","aa","aaa"]"#, #""aa""#, #""aaa""#),
        QueryCase(
            "$[?match(@,'(ab)*c?')]",
            #"["","abab","ababc","abc","ac"]"#,
            #""""#,
            #""abab""#,
            #""ababc""#,
            #""abc""#
        ),
        QueryCase(
            #"$[?match(@,'\\n\\r\\t\\-\\?\\^\\{\\|\\}\\(\\)\\*\\+')]"#,
            #"["\n\r\t-?^{|}()*+"]"#,
            #""\n\r\t-?^{|}()*+""#
        ),
        QueryCase("$[?match(@,'a#b c')]", #"["a#b c"]"#, #""a#b c""#),
        // Not I-Regexp
        QueryCase(#"$[?match(@,'\\d')]"#, #"["1","d"]"#),
        QueryCase(#"$[?match(@,'\\w+')]"#, #"["a"]"#),
        QueryCase(#"$[?match(@,'(a)\\1')]"#, #"["aa"]"#),
        QueryCase("$[?match(@,'a(?=b).')]", #"["ab"]"#),
        QueryCase("$[?match(@,'(?:a)')]", #"["a"]"#),
        QueryCase("$[?match(@,'(?i)a')]", #"["A"]"#),
        QueryCase("$[?match(@,'a*?')]", #"["a",""]"#),
        QueryCase("$[?match(@,'a**')]", #"["a"]"#),
        QueryCase("$[?match(@,'a{,2}')]", #"["a","a{,2}"]"#),
        QueryCase("$[?match(@,'a{2')]", #"["a{2","aa"]"#),
        QueryCase("$[?match(@,'a]')]", #"["a]"]"#),
        QueryCase("$[?match(@,'[a')]", #"["a"]"#),
        QueryCase("$[?match(@,'[]')]", #"["a","[]"]"#),
        QueryCase("$[?match(@,'[^]')]", #"["a"]"#),
        QueryCase("$[?match(@,'[c-a]')]", #"["b"]"#),
        QueryCase("$[?match(@,'[a&&[b]]')]", #"["a"]"#),
        QueryCase("$[?match(@,'[[:alpha:]]')]", #"["a"]"#),
        QueryCase("$[?match(@,'(a')]", #"["a"]"#),
        QueryCase("$[?match(@,'a)')]", #"["a"]"#),
        QueryCase("$[?match(@,'*a')]", #"["a"]"#),
        QueryCase(#"$[?match(@,'\\p{Greek}')]"#, #"["α"]"#),
        QueryCase(#"$[?match(@,'\\p{Lx}')]"#, #"["a"]"#),
        QueryCase(#"$[?match(@,'\\pL')]"#, #"["a"]"#),
        QueryCase(#"$[?match(@,'a\\b')]"#, #"["a"]"#),
        QueryCase(#"$[?match(@,'a\\')]"#, #"["a"]"#),
        // ^ and $, ordinary by the grammar, anchors by the translation rules
        QueryCase(
            "$[?match(@,'^ab.*')]",
            #"["abc","axc","ab","xab","^ab"]"#,
            #""abc""#,
            #""ab""#,
            #""^ab""#
        ),
        QueryCase("$[?match(@,'.*bc$')]", #"["abc","axc","abcx","abc$"]"#, #""abc""#, #""abc$""#),
        QueryCase("$[?match(@,'[$^]')]", #"["$","^","a"]"#, #""$""#, #""^""#),
        // search
        QueryCase("$[?search(@,'a.')]", #"["xab","ab","a","b"]"#, #""xab""#, #""ab""#),
        QueryCase("$[?search(@.a,'b')]", #"[{"a":"abc"},{"a":"ac"}]"#, #"{"a":"abc"}"#),
        QueryCase("$[?!search(@,'a')]", #"["a","b",1]"#, #""b""#, "1"),
        QueryCase("$[?search(@,'')]", #"["","a",1]"#, #""""#, #""a""#),
        QueryCase("$[?search(@,'[bc]$')]", #"["ab","ac","ad","b!"]"#, #""ab""#, #""ac""#),
        QueryCase("$[?search(@,'^a')]", #"["ab","ba"]"#, #""ab""#),
        QueryCase("$[?search(@,'.')]", #"["\r\n","a\n"]"#, #""a\n""#),
        QueryCase(#"$[?search(@,'\\p{Lu}')]"#, #"["ж","xЖ"]"#, #""xЖ""#),
        QueryCase("$[?search(@,1)]", #"["1"]"#),
        QueryCase("$[?search(@,'(')]", #"["("]"#),
        QueryCase("$[?search(@,'\u{e9}')]", #"["caf\u00e9"]"#, #""caf\u00e9""#),
        QueryCase("$[?search(@,'a.*a')]", #"["bananas"]"#, #""bananas""#),
        QueryCase(
            "$[?match(@.a,'a')&&search(@.b,'b')]",
            #"[{"a":"a","b":"abc"}]"#,
            #"{"a":"a","b":"abc"}"#
        ),
    ]
}
