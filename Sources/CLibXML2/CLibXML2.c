// libxml2 is loaded on first use, because it brings 30 MB of ICU that a program which reads no XML must not
// pay for. Its headers (/usr/include/libxml2) are reached through the symbolic link `system`, because a
// header search path of a package may not leave its folder, and pkg-config would link the library.

#include "CLibXML2.h"

#include <CLoader.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// The pointers have the types of libxml2's declarations, so that the compiler checks every call.
#define FUNCTIONS(F)           \
    F(xmlInitParser)           \
    F(xmlNewParserCtxt)        \
    F(xmlParserInputBufferCreateIO) \
    F(xmlNewIOInputStream)     \
    F(inputPush)               \
    F(xmlFreeParserInputBuffer) \
    F(xmlCtxtUseOptions)       \
    F(xmlParseDocument)        \
    F(xmlFreeParserCtxt)       \
    F(xmlFreeDoc)              \
    F(xmlStopParser)           \
    F(xmlFindCharEncodingHandler) \
    F(xmlSwitchToEncoding)     \
    F(xmlSetStructuredErrorFunc)

#define DECLARE(NAME) __typeof__(&NAME) NAME##_;
static struct { FUNCTIONS(DECLARE) } xml;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[256];
static int is_loaded;

static void load(void) {
    static const char *const names[] = {"libxml2.so.2", "libxml2.so.16", NULL};
#define FIND(NAME) {#NAME, (void **)&xml.NAME##_},
    static const cloader_function functions[] = {FUNCTIONS(FIND)};
    void *library = cloader_open(names, reason, sizeof reason);
    size_t count = sizeof functions / sizeof *functions;
    if (!library || !cloader_find(library, functions, count, reason, sizeof reason)) return;
    xml.xmlInitParser_();
    is_loaded = 1;
}

const char *clibxml2_reason(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : reason;
}

// The state of one parse.
typedef struct {
    const clibxml2_handler *handler;
    void *context;
    xmlParserCtxtPtr parser;
    xmlEntity entity;
    char entity_text[128];
    const uint8_t *bytes;
    size_t length;
    size_t given;
    int is_cancelled;
} reading;

// Whether the parse must end; checked in every callback.
static int is_over(reading *r) {
    if (!r->is_cancelled && r->handler->is_cancelled(r->context, 0)) {
        r->is_cancelled = 1;
        xml.xmlStopParser_(r->parser);
    }
    return r->is_cancelled;
}

// Gives libxml2 its next piece. libxml2 takes quadratic time for the attributes of a tag, the names of an
// enumeration and more, and makes no other callback meanwhile, so a parse is also cancelled here.
static int give(void *data, char *room, int size) {
    reading *r = data;
    if (size <= 0 || r->is_cancelled) return 0;
    if (r->handler->is_cancelled(r->context, 1)) {
        // The parser is not stopped in the middle of a token; it ends because its input ends.
        r->is_cancelled = 1;
        return 0;
    }
    size_t count = r->length - r->given;
    if (count > (size_t)size) count = (size_t)size;
    memcpy(room, r->bytes + r->given, count);
    r->given += count;
    return (int)count;
}

static uint64_t offset_of(const reading *r) {
    const xmlParserInput *input = r->parser->input;
    return input ? (uint64_t)input->consumed + (uint64_t)(input->cur - input->base) : 0;
}

static void start_element(void *data, const xmlChar *name, const xmlChar **attributes) {
    reading *r = data;
    if (is_over(r)) return;
    size_t count = 0;
    while (attributes && attributes[2 * count]) count++;
    r->handler->start_element(
        r->context, (const char *)name, (const char *const *)attributes, count, offset_of(r));
}

static void end_element(void *data, const xmlChar *name) {
    (void)name;
    reading *r = data;
    if (!is_over(r)) r->handler->end_element(r->context);
}

static void text(void *data, const xmlChar *text, int length) {
    reading *r = data;
    if (!is_over(r)) r->handler->text(r->context, (const char *)text, (size_t)length);
}

static void comment(void *data, const xmlChar *text) {
    reading *r = data;
    if (!is_over(r)) r->handler->comment(r->context, (const char *)text, offset_of(r));
}

static void instruction(void *data, const xmlChar *target, const xmlChar *text) {
    reading *r = data;
    if (is_over(r)) return;
    r->handler->instruction(
        r->context, (const char *)target, (const char *)text, offset_of(r));
}

static void internal_subset(
    void *data, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id) {
    (void)public_id, (void)system_id;
    reading *r = data;
    if (!is_over(r) && name) r->handler->doctype(r->context, (const char *)name);
}

// Every entity except XML's five stays as written. Nothing is expanded, so nothing can grow.
static xmlEntityPtr get_entity(void *data, const xmlChar *name) {
    reading *r = data;
    if (is_over(r)) return NULL;
    if (r->parser->instate != XML_PARSER_ATTRIBUTE_VALUE) {
        if (r->parser->instate == XML_PARSER_CONTENT) {
            r->handler->entity(r->context, (const char *)name);
        }
        return NULL;
    }
    // In an attribute, libxml2 needs a replacement text, so it gets one that looks like the reference.
    snprintf(r->entity_text, sizeof r->entity_text, "&#38;%s;", (const char *)name);
    memset(&r->entity, 0, sizeof r->entity);
    r->entity.type = XML_ENTITY_DECL;
    r->entity.name = name;
    r->entity.content = (xmlChar *)r->entity_text;
    r->entity.length = (int)strlen(r->entity_text);
    r->entity.etype = XML_INTERNAL_GENERAL_ENTITY;
    // Marks the text as checked and free of entities.
    r->entity.checked = 1;
    return &r->entity;
}

static void structured_error(void *data, xmlErrorPtr error) {
    reading *r = data;
    // The context is set only during our parse, and libxml2 reports nothing else on this thread.
    if (!r || is_over(r) || error->code == XML_ERR_UNDECLARED_ENTITY
        || error->code == XML_WAR_UNDECLARED_ENTITY || error->code == XML_ERR_USER_STOP) return;
    // Only fatal errors say that the text is not well-formed: XML_ERR_ERROR is for namespaces, validity and
    // resources.
    if (error->level < XML_ERR_FATAL) return;
    r->handler->fault(
        r->context, error->message ? error->message : "", error->line, error->int2, offset_of(r));
}

static void set_up(xmlSAXHandler *sax) {
    memset(sax, 0, sizeof *sax);
    // The SAX1 interface passes names as written and attributes in order.
    sax->initialized = 1;
    sax->internalSubset = internal_subset;
    sax->getEntity = get_entity;
    sax->startElement = start_element;
    sax->endElement = end_element;
    sax->characters = text;
    sax->ignorableWhitespace = text;
    sax->cdataBlock = text;
    sax->comment = comment;
    sax->processingInstruction = instruction;
}

static void use_encoding(xmlParserCtxtPtr parser, const char *encoding) {
    xmlCharEncodingHandlerPtr found = encoding ? xml.xmlFindCharEncodingHandler_(encoding) : NULL;
    if (found) xml.xmlSwitchToEncoding_(parser, found);
}

// The most attributes of one tag, because libxml2 compares each name with all earlier ones.
#define MOST_ATTRIBUTES 10000

// The number of attributes of the tag at `at`; quoted text is skipped.
static size_t attribute_count(const uint8_t *bytes, size_t at, size_t end) {
    size_t values = 0;
    uint8_t quote = 0;
    for (; at < end; at++) {
        uint8_t byte = bytes[at];
        if (quote) {
            if (byte == quote) quote = 0;
        } else if (byte == '"' || byte == '\'') {
            quote = byte;
        } else if (byte == '=') {
            values++;
        } else if (byte == '>') {
            break;
        }
    }
    return values;
}

// The offset of the first tag with too many attributes; the length if there is none.
//
// No tag extends past the next `<`, so only long stretches before one are examined.
static size_t readable_length(const uint8_t *bytes, size_t length) {
    const size_t shortest = 2 * (size_t)MOST_ATTRIBUTES;
    const uint8_t *tag = memchr(bytes, '<', length);
    while (tag) {
        size_t at = (size_t)(tag - bytes);
        const uint8_t *next = memchr(tag + 1, '<', length - at - 1);
        size_t end = next ? (size_t)(next - bytes) : length;
        if (end - at > shortest && attribute_count(bytes, at, end) > MOST_ATTRIBUTES) return at;
        tag = next;
    }
    return length;
}

// Makes the parser read its input from `give`.
static int open_input(reading *r) {
    xmlParserInputBufferPtr buffer =
        xml.xmlParserInputBufferCreateIO_(give, NULL, r, XML_CHAR_ENCODING_NONE);
    if (!buffer) return 0;
    xmlParserInputPtr input =
        xml.xmlNewIOInputStream_(r->parser, buffer, XML_CHAR_ENCODING_NONE);
    if (!input) {
        xml.xmlFreeParserInputBuffer_(buffer);
        return 0;
    }
    return xml.inputPush_(r->parser, input) >= 0;
}

int clibxml2_read(
    const uint8_t *bytes, size_t length, const char *encoding,
    const clibxml2_handler *handler, void *context) {
    if (clibxml2_reason()) return CLIBXML2_NO_LIBRARY;
    if (length > (size_t)1 << 30) return CLIBXML2_TOO_LONG;
    size_t whole = length;
    length = readable_length(bytes, length);
    if (length < whole) {
        handler->fault(context, "a tag has more than 10,000 attributes", 0, 0, length);
    }
    if (length == 0) return CLIBXML2_READ;
    xmlParserCtxtPtr parser = xml.xmlNewParserCtxt_();
    if (!parser) return CLIBXML2_NO_MEMORY;
    reading r = {
        .handler = handler, .context = context, .parser = parser, .bytes = bytes, .length = length};
    if (!open_input(&r)) {
        xml.xmlFreeParserCtxt_(parser);
        return CLIBXML2_NO_MEMORY;
    }
    // NOENT is needed for the five entities in attributes; no others are replaced.
    xml.xmlCtxtUseOptions_(
        parser, XML_PARSE_RECOVER | XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_SAX1
            | XML_PARSE_HUGE | XML_PARSE_NOCDATA | XML_PARSE_IGNORE_ENC);
    // Set after the options, which change some of the handler's entries.
    set_up(parser->sax);
    parser->sax2 = 0;
    parser->userData = &r;
    use_encoding(parser, encoding);
    xml.xmlSetStructuredErrorFunc_(&r, structured_error);
    xml.xmlParseDocument_(parser);
    xml.xmlSetStructuredErrorFunc_(NULL, NULL);
    if (parser->myDoc) xml.xmlFreeDoc_(parser->myDoc);
    parser->myDoc = NULL;
    xml.xmlFreeParserCtxt_(parser);
    return r.is_cancelled ? CLIBXML2_CANCELLED : CLIBXML2_READ;
}
