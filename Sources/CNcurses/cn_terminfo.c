// Terminfo entries for true color, in the form that ncurses reads from $TERMINFO ("b64:..."). They are part of
// the program because xterm-direct and similar entries are in ncurses-term, which most machines lack, and because
// containers often have no entry at all for the terminal outside. SGR uses semicolons, not the colons of
// xterm-direct, because more terminals understand them. There are no keys, because Terminal decodes input itself.
//
// The source for xterm (for tmux and screen: use=tmux-256color):
//
//   apus-xterm-direct|true colour over xterm-256color,
//     RGB, colors#0x1000000, pairs#0x10000, CO#8, ccc@, initc@, oc@, setf@, setb@,
//     setaf=\E[%?%p1%{8}%<%t3%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
//     setab=\E[%?%p1%{8}%<%t4%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
//     use=xterm-256color,
//
// Made with: tic -x -o db apus.ti; then per entry
//   TERMINFO=db infocmp -x -1 NAME | grep -vE '^\s+k[A-Za-z0-9]+=' > nokeys.ti; tic -x -o db2 nokeys.ti
//   TERMINFO=db2 infocmp -x -0 -Q2 -q NAME

#include "cn_terminfo.h"

const char cn_terminfo_xterm[] =
    "b64:HgIyACYADwCdAb8DYXB1cy14dGVybS1kaXJlY3R8dHJ1ZSBjb2xvdXIgb3ZlciB4dGVybS0yNTZjb2xvcgAAAQ"
    "AAAQAAAAEAAAAAAQEAAAAAAAAAAQAAAQAAAQAAAAAAAAAAAVAAAAAIAAAAGAAAAP__________________________"
    "__________________________8AAAABAAABAAAABAAGAAgAGQAeACYAKgAuAP__OQBKAEwAUABXAP__WQBmAP__ag"
    "BuAHgAfAD_____gACEAIkAjgD__6AApQCqAP__rwC0ALkAvgDHAMsA0gD__-QA6QDvAPUA________BwH_______8Z"
    "Af________________________________________________________________________________________"
    "__HQElAf____________________________8tATYBPwH__0IBSwFUAV0BZgFvAXgBgQGKAZMB________nAGgAaUB"
    "qgG-AccB_____9kB3AHnAeoB7AHvAUwC__9PAv____________________________9RAv__________hgKMAv____"
    "__________________________________________________________________________________________"
    "__________________________________________________________________________________________"
    "__________________________________________________________________________________________"
    "__________________________________-SApcC__________________________________________________"
    "________-eAqkCrgLBAsUC_v_-_______-__7____________________OAv_______________________9MC____"
    "_________________________________________________9kC6gL___________________________________"
    "_____8Ak8D__________________-iA___________________________________________________________"
    "_____________________________________________________7kDvAMbW1oABwANABtbJWklcDElZDslcDIlZH"
    "IAG1szZwAbW0gbWzJKABtbSwAbW0oAG1slaSVwMSVkRwAbWyVpJXAxJWQ7JXAyJWRIAAoAG1tIABtbPzI1bAAIABtb"
    "PzEybBtbPzI1aAAbW0MAG1tBABtbPzEyOzI1aAAbW1AAG1tNABsoMAAbWzVtABtbMW0AG1s_MTA0OWgbWzIyOzA7MH"
    "QAG1sybQAbWzRoABtbOG0AG1s3bQAbWzdtABtbNG0AG1slcDElZFgAGyhCABsoQhtbbQAbWz8xMDQ5bBtbMjM7MDsw"
    "dAAbWzRsABtbMjdtABtbMjRtABtbPzVoJDwxMDAvPhtbPzVsABtbIXAbWz8zOzRsG1s0bBs-ABtbTAAbWz8xbBs-AB"
    "tbPzFoGz0AG1s_MTAzNGwAG1s_MTAzNGgAG0UAG1slcDElZFAAG1slcDElZE0AG1slcDElZEIAG1slcDElZEAAG1sl"
    "cDElZFMAG1slcDElZEwAG1slcDElZEQAG1slcDElZEMAG1slcDElZFQAG1slcDElZEEAG1tpABtbNGkAG1s1aQAlcD"
    "ElYxtbJXAyJXsxfSUtJWRiABtjG10xMDQHABtbIXAbWz8zOzRsG1s0bBs-ABs4ABtbJWklcDElZGQAGzcACgAbTQAl"
    "PyVwOSV0GygwJWUbKEIlOxtbMCU_JXA2JXQ7MSU7JT8lcDUldDsyJTslPyVwMiV0OzQlOyU_JXAxJXAzJXwldDs3JT"
    "slPyVwNCV0OzUlOyU_JXA3JXQ7OCU7bQAbSAAJAGBgYWFmZmdnaWlqamtrbGxtbW5ub29wcHFxcnJzc3R0dXV2dnd3"
    "eHh5eXp6e3t8fH19fn4AG1s_N2gAG1s_N2wAG1sxSwAbWz82OWwAG1slaSVkOyVkUgAbWzZuABtbPyVbOzAxMjM0NT"
    "Y3ODldYwAbW2MAG1szOTs0OW0AG1szbQAbWzIzbQAbWz82OWgbWyVpJXAxJWRzABtbPzY5aBtbJWk7JXAxJWRzABtb"
    "JT8lcDElezh9JTwldDMlcDElZCVlMzg7MjslcDElezY1NTM2fSUvJWQ7JXAxJXsyNTZ9JS8lezI1NX0lJiVkOyVwMS"
    "V7MjU1fSUmJWQlO20AG1slPyVwMSV7OH0lPCV0NCVwMSVkJWU0ODsyOyVwMSV7NjU1MzZ9JS8lZDslcDElezI1Nn0l"
    "LyV7MjU1fSUmJWQ7JXAxJXsyNTV9JSYlZCU7bQAbWz82OWgbWyVpJXAxJWQ7JXAyJWRzABtsABttAAADAAEADgAgAO"
    "UAAQEBAAgAAAAAAAkAEgAZACUAKgA8AEMASgBQAFoAegCAAIUAAAADAAcACgANABAAEwAWABkAHAAfACIAJQAoACsA"
    "LgAzADgAG1s_MjAwNGwAG1s_MjAwNGgAG10xMTIHABtdMTI7JXAxJXMHABtbM0oAG101MjslcDElczslcDIlcwcAG1"
    "syMDF-ABtbMjAwfgAbWzIgcQAbWyVwMSVkIHEAG1s_MTAwNjsxMDAwJT8lcDElezF9JT0ldGglZWwlOwAbWzI5bQAb"
    "WzltABtbPCVpJXAzJWQ7JXAxJWQ7JXAyJWQ7JT8lcDQldE0lZW0lOwBBWABSR0IAWFQAQ08AQkQAQkUAQ3IAQ3MART"
    "MATXMAUEUAUFMAU2UAU3MAWE0Acm14eABzbXh4AHhtAA==";

const char cn_terminfo_tmux[] =
    "b64:HgIwACsADwBpAfoCYXB1cy10bXV4LWRpcmVjdHx0cnVlIGNvbG91ciBvdmVyIHRtdXgtMjU2Y29sb3IAAAEAAA"
    "EAAAABAQAAAAEBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAQBQAAAACAAAABgAAAD_____________________"
    "________________________________AAAAAQAAAQAAAAQABgAIABkAHgAlACkALQD__zgASQBLAE8AVgD__1gAZA"
    "D__2gAawBxAHUAeQD__38AgQCGAIsA__-UAJkAngD__6MAqACtAP__sgC0ALkA___CAMcAzQDTAP__1gD__9gA____"
    "____3AD___________________________________________________________________________________"
    "_______-AA6AD___________________________________AA___zAPwABQEOARcBIAEpATIBOwFEAf__________"
    "__________9NAf____9eAWEBbAFvAXEBdAHNAf__0AHSAf__________________________1wH_______________"
    "______GAL_________________________________________________________________________________"
    "__________________________________________________________________________________________"
    "__________________________________________________________________________________________"
    "________________________________________HwL_______________________________________________"
    "______________JAIvAjQCPAJAAv7__v_______v_-____________________SQL_______________________9O"
    "Av________________________________________________________________________________________"
    "__________VAKnAhtbWgAHAA0AG1slaSVwMSVkOyVwMiVkcgAbWzNnABtbSBtbSgAbW0sAG1tKABtbJWklcDElZEcA"
    "G1slaSVwMSVkOyVwMiVkSAAKABtbSAAbWz8yNWwACAAbWzM0aBtbPzI1aAAbW0MAG00AG1szNGwAG1tQABtbTQAbXT"
    "A7BwAOABtbNW0AG1sxbQAbWz8xMDQ5aAAbWzJtABtbNGgAG1s4bQAbWzdtABtbN20AG1s0bQAPABtbbQ8AG1s_MTA0"
    "OWwAG1s0bAAbWzI3bQAbWzI0bQAbZwAHABspMAAbW0wAG1s_MWwbPgAbWz8xaBs9ABtFABtbJXAxJWRQABtbJXAxJW"
    "RNABtbJXAxJWRCABtbJXAxJWRAABtbJXAxJWRTABtbJXAxJWRMABtbJXAxJWREABtbJXAxJWRDABtbJXAxJWRUABtb"
    "JXAxJWRBABtjG1s_MTAwMGwbWz8yNWgAGzgAG1slaSVwMSVkZAAbNwAKABtNABtbMCU_JXA2JXQ7MSU7JT8lcDIldD"
    "s0JTslPyVwMSVwMyV8JXQ7NyU7JT8lcDQldDs1JTslPyVwNSV0OzIlOyU_JXA3JXQ7OCU7bSU_JXA5JXQOJWUPJTsA"
    "G0gACQAbXTA7ACsrLCwtLS4uMDBgYGFhZmZnZ2hoaWlqamtrbGxtbW5ub29wcHFxcnJzc3R0dXV2dnd3eHh5eXp6e3"
    "t8fH19fn4AGyhCGykwABtbMUsAG1slaSVkOyVkUgAbWzZuABtbPzE7MmMAG1tjABtbMzk7NDltABtbM20AG1syM20A"
    "G1slPyVwMSV7OH0lPCV0MyVwMSVkJWUzODsyOyVwMSV7NjU1MzZ9JS8lZDslcDElezI1Nn0lLyV7MjU1fSUmJWQ7JX"
    "AxJXsyNTV9JSYlZCU7bQAbWyU_JXAxJXs4fSU8JXQ0JXAxJWQlZTQ4OzI7JXAxJXs2NTUzNn0lLyVkOyVwMSV7MjU2"
    "fSUvJXsyNTV9JSYlZDslcDElezI1NX0lJiVkJTttAAMAAgAQACUAyAABAQEACAAAAAEAAAAAAAkAEgAZACUAKQAuAE"
    "AARwBOAFYAXABnAHEAdgB8AAAAAwAGAAoADQAQABMAFgAZABwAHwAiACUAKAArAC4AMQA3ADoAPQBCABtbPzIwMDRs"
    "ABtbPzIwMDRoABtdMTEyBwAbXTEyOyVwMSVzBwAbKEIAG1szSgAbXTUyOyVwMSVzOyVwMiVzBwAbWzIwMX4AG1syMD"
    "B-ABsoJXAxJWMAG1syIHEAG1s0OiVwMSVkbQAbWyVwMSVkIHEAG10wOwAbWzI5bQAbWzltAEFYAEcwAFJHQgBDTwBV"
    "OABCRABCRQBDcgBDcwBFMABFMwBNcwBQRQBQUwBTMABTZQBTbXVseABTcwBUUwBybXh4AHNteHgA";
