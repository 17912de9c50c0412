// Terminfo entries for true color, in the form that ncurses reads from $TERMINFO ("b64:..."). They are part of
// the program because xterm-direct and similar entries are in ncurses-term, which most machines lack, and because
// containers often have no entry at all for the terminal outside. SGR uses semicolons, not the colons of
// xterm-direct, because more terminals understand them. There are no keys, because Terminal decodes input itself.
// The numbers 0 to 7 and 9 to 15 are colors of the palette; 8 is a near-black, for black is the palette's.
//
// The source for xterm (for tmux and screen: use=tmux-256color):
//
//   apus-xterm-direct|true colour over xterm-256color,
//     RGB, colors#0x1000000, pairs#0x10000, CO#8, ccc@, initc@, oc@, setf@, setb@,
//     setaf=\E[%?%p1%{8}%<%t3%p1%d%e%p1%{8}%>%p1%{16}%<%A%t9%p1%{8}%-%d%e
//       38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
//     setab=\E[%?%p1%{8}%<%t4%p1%d%e%p1%{8}%>%p1%{16}%<%A%t10%p1%{8}%-%d%e
//       48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
//     use=xterm-256color,
//
// Made with: tic -x -o db apus.ti; then per entry
//   TERMINFO=db infocmp -x -1 NAME | grep -vE '^\s+k[A-Za-z0-9]+=' > nokeys.ti; tic -x -o db2 nokeys.ti
//   TERMINFO=db2 infocmp -x -0 -Q2 -q NAME

#include "cn_terminfo.h"

const char cn_terminfo_xterm[] =
    "b64:HgIyACYADwCdAQoEYXB1cy14dGVybS1kaXJlY3R8dHJ1ZSBjb2xvdXIgb3ZlciB4dGVybS0yNTZjb2xvcgAAAQ"
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
    "_____8AnQD___________________tA___________________________________________________________"
    "_____________________________________________________wQEBwQbW1oABwANABtbJWklcDElZDslcDIlZH"
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
    "JT8lcDElezh9JTwldDMlcDElZCVlJXAxJXs4fSU-JXAxJXsxNn0lPCVBJXQ5JXAxJXs4fSUtJWQlZTM4OzI7JXAxJX"
    "s2NTUzNn0lLyVkOyVwMSV7MjU2fSUvJXsyNTV9JSYlZDslcDElezI1NX0lJiVkJTttABtbJT8lcDElezh9JTwldDQl"
    "cDElZCVlJXAxJXs4fSU-JXAxJXsxNn0lPCVBJXQxMCVwMSV7OH0lLSVkJWU0ODsyOyVwMSV7NjU1MzZ9JS8lZDslcD"
    "ElezI1Nn0lLyV7MjU1fSUmJWQ7JXAxJXsyNTV9JSYlZCU7bQAbWz82OWgbWyVpJXAxJWQ7JXAyJWRzABtsABttAAMA"
    "AQAOACAA5QABAQEACAAAAAAACQASABkAJQAqADwAQwBKAFAAWgB6AIAAhQAAAAMABwAKAA0AEAATABYAGQAcAB8AIg"
    "AlACgAKwAuADMAOAAbWz8yMDA0bAAbWz8yMDA0aAAbXTExMgcAG10xMjslcDElcwcAG1szSgAbXTUyOyVwMSVzOyVw"
    "MiVzBwAbWzIwMX4AG1syMDB-ABtbMiBxABtbJXAxJWQgcQAbWz8xMDA2OzEwMDAlPyVwMSV7MX0lPSV0aCVlbCU7AB"
    "tbMjltABtbOW0AG1s8JWklcDMlZDslcDElZDslcDIlZDslPyVwNCV0TSVlbSU7AEFYAFJHQgBYVABDTwBCRABCRQBD"
    "cgBDcwBFMwBNcwBQRQBQUwBTZQBTcwBYTQBybXh4AHNteHgAeG0A";

const char cn_terminfo_tmux[] =
    "b64:HgIwACsADwBpAUUDYXB1cy10bXV4LWRpcmVjdHx0cnVlIGNvbG91ciBvdmVyIHRtdXgtMjU2Y29sb3IAAAEAAA"
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
    "__________VALMAhtbWgAHAA0AG1slaSVwMSVkOyVwMiVkcgAbWzNnABtbSBtbSgAbW0sAG1tKABtbJWklcDElZEcA"
    "G1slaSVwMSVkOyVwMiVkSAAKABtbSAAbWz8yNWwACAAbWzM0aBtbPzI1aAAbW0MAG00AG1szNGwAG1tQABtbTQAbXT"
    "A7BwAOABtbNW0AG1sxbQAbWz8xMDQ5aAAbWzJtABtbNGgAG1s4bQAbWzdtABtbN20AG1s0bQAPABtbbQ8AG1s_MTA0"
    "OWwAG1s0bAAbWzI3bQAbWzI0bQAbZwAHABspMAAbW0wAG1s_MWwbPgAbWz8xaBs9ABtFABtbJXAxJWRQABtbJXAxJW"
    "RNABtbJXAxJWRCABtbJXAxJWRAABtbJXAxJWRTABtbJXAxJWRMABtbJXAxJWREABtbJXAxJWRDABtbJXAxJWRUABtb"
    "JXAxJWRBABtjG1s_MTAwMGwbWz8yNWgAGzgAG1slaSVwMSVkZAAbNwAKABtNABtbMCU_JXA2JXQ7MSU7JT8lcDIldD"
    "s0JTslPyVwMSVwMyV8JXQ7NyU7JT8lcDQldDs1JTslPyVwNSV0OzIlOyU_JXA3JXQ7OCU7bSU_JXA5JXQOJWUPJTsA"
    "G0gACQAbXTA7ACsrLCwtLS4uMDBgYGFhZmZnZ2hoaWlqamtrbGxtbW5ub29wcHFxcnJzc3R0dXV2dnd3eHh5eXp6e3"
    "t8fH19fn4AGyhCGykwABtbMUsAG1slaSVkOyVkUgAbWzZuABtbPzE7MmMAG1tjABtbMzk7NDltABtbM20AG1syM20A"
    "G1slPyVwMSV7OH0lPCV0MyVwMSVkJWUlcDElezh9JT4lcDElezE2fSU8JUEldDklcDElezh9JS0lZCVlMzg7MjslcD"
    "ElezY1NTM2fSUvJWQ7JXAxJXsyNTZ9JS8lezI1NX0lJiVkOyVwMSV7MjU1fSUmJWQlO20AG1slPyVwMSV7OH0lPCV0"
    "NCVwMSVkJWUlcDElezh9JT4lcDElezE2fSU8JUEldDEwJXAxJXs4fSUtJWQlZTQ4OzI7JXAxJXs2NTUzNn0lLyVkOy"
    "VwMSV7MjU2fSUvJXsyNTV9JSYlZDslcDElezI1NX0lJiVkJTttAAADAAIAEAAlAMgAAQEBAAgAAAABAAAAAAAJABIA"
    "GQAlACkALgBAAEcATgBWAFwAZwBxAHYAfAAAAAMABgAKAA0AEAATABYAGQAcAB8AIgAlACgAKwAuADEANwA6AD0AQg"
    "AbWz8yMDA0bAAbWz8yMDA0aAAbXTExMgcAG10xMjslcDElcwcAGyhCABtbM0oAG101MjslcDElczslcDIlcwcAG1sy"
    "MDF-ABtbMjAwfgAbKCVwMSVjABtbMiBxABtbNDolcDElZG0AG1slcDElZCBxABtdMDsAG1syOW0AG1s5bQBBWABHMA"
    "BSR0IAQ08AVTgAQkQAQkUAQ3IAQ3MARTAARTMATXMAUEUAUFMAUzAAU2UAU211bHgAU3MAVFMAcm14eABzbXh4AA==";
