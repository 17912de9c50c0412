import TestSupport
import Testing

@testable import Apus
@testable import Sharing

struct RedisAddressTests {
    @Test(
        "an address is read, and named without its credentials",
        arguments: [
            ("redis://host", "redis://host:6379/0"),
            ("redis://host:7000/3", "redis://host:7000/3"),
            ("rediss://user:p%40ss@host/1", "rediss://host:6379/1"),
            ("redis://:secret@[::1]:6380", "redis://[::1]:6380/0"),
            ("REDIS://host/", "redis://host:6379/0"),
            ("unix:///run/redis.sock", "unix:///run/redis.sock"),
            ("unix:///run/redis.sock?db=2", "unix:///run/redis.sock?db=2"),
        ]
    )
    func reads(text: String, name: String) throws {
        #expect(try RedisAddress(text).name == name)
    }

    @Test("user and password are decoded, and another password goes before")
    func credentials() throws {
        let address = try RedisAddress("redis://us%3Aer:p%40ss@host")
        #expect(address.user == "us:er")
        #expect(address.password == "p@ss")
        #expect(try RedisAddress("redis://u:a@host", password: "b").password == "b")
    }

    @Test(
        "what is wrong is said, without the password",
        arguments: [
            ("host:6379", "it does not begin with redis://, rediss:// or unix://"),
            ("http://host", "http:// is not redis://, rediss:// or unix://"),
            ("redis://", "it has no host"),
            ("redis://:sesame@", "it has no host"),
            ("redis://user@host", "a user needs a password: user:password@, or :password@"),
            ("redis://u:sesame%@host", "the user or the password is not percent-encoded"),
            ("redis://host:0", "its port is not a number from 1 to 65535"),
            ("redis://host:70000", "its port is not a number from 1 to 65535"),
            ("redis://host/x", "the database is not a number"),
            ("redis://host/0?x=1", "nothing may follow the database's number"),
            ("unix://redis.sock", "a socket's path is absolute: unix:///run/redis.sock"),
            ("unix:///redis.sock?x", "only ?db=NUMBER may follow a socket's path"),
        ]
    )
    func refuses(text: String, reason: String) {
        let fault = #expect(throws: RedisFault.self) { try RedisAddress(text) }
        #expect(fault?.description == "the address cannot be used: \(reason)")
        #expect(fault?.description.contains("sesame") == false)
    }

    @Test("a short key is refused, and a key shows nothing of itself")
    func keys() throws {
        #expect(throws: RedisFault.self) { try TeamKey("short") }
        let key = try TeamKey(teamKey)
        #expect("\(key)" == "••••••")
        #expect(!String(reflecting: key).contains("0123"))
        #expect(key.team == (try TeamKey(teamKey)).team)
        #expect(key.team != (try TeamKey(teamKey + "x")).team)
    }

    @Test("a database and TLS are asked for where they are named")
    func connects() throws {
        let server = try RedisServer()
        let one = try RedisConnection(try RedisAddress("\(server.url)?db=1"), RedisLimits())
        _ = try one.send([RedisCommand("SET", "a", "1")])
        let zero = try RedisConnection(try RedisAddress(server.url), RedisLimits())
        #expect(try zero.send([RedisCommand("GET", "a")]) == [.nothing])
        #expect(try one.send([RedisCommand("GET", "a")]) == [.bytes(Array("1".utf8))])
    }
}
