import ConnectionEngine
import RedisClient
import RedisStoreEngine
import ServerCluster
import Testing

@testable import LifelineCommand

@Suite("Advice about a Redis that cannot be connected to (rule CL-115)")
struct RedisAdviceTests {
    @Test(
        "The advice is about the cause",
        arguments: [
            (.tooOld("6.2.14"), "Redis 7 or later"), (.notMaster("slave"), "address of the master"),
            (
                .refused(RedisErrorReply("NOPERM User node has no permissions to run the 'role' command")),
                "ACL SETUSER NAME +role"
            ),
            (.refused(RedisErrorReply("WRONGPASS invalid username-password pair")), "user and password in the address"),
            (.refused(RedisErrorReply("NOAUTH HELLO must be called")), "Put the password"),
            (.refused(RedisErrorReply("ERR max number of clients reached")), "maxclients"),
            (.refused(RedisErrorReply("ERR unknown command 'HELLO'")), "Redis 7 or later"),
            (.refused(RedisErrorReply("LOADING Redis is loading the dataset in memory")), "then try again"),
            (.refused(RedisErrorReply("DENIED Redis is running in protected mode")), "protected-mode"),
            (.network(ConnectionFailure(.networkUnavailable, "refused")), "whether Redis runs there"),
            (.network(ConnectionFailure(.tlsFailed, "no")), "rediss://"), (.silent, "Check host, port"),
        ] as [(RedisLoss, String)])
    func causes(loss: RedisLoss, words: String) {
        #expect(RedisAdvice.advice(for: loss).contains(words))
    }

    @Test(
        "The right is read from the refusal, as long as it is one",
        arguments: [
            ("NOPERM User node has no permissions to run the 'xadd' command", "+xadd"),
            ("NOPERM User node has no permissions to run the 'client|setname' command", "+client|setname"),
            ("NOPERM No permissions to access a key", nil), ("ERR no permissions to run the 'xadd' command", nil),
            ("NOPERM User has no permissions to run the 'x; y' command", nil), ("NOPERM permissions to run the '", nil),
        ] as [(String, String?)])
    func rights(line: String, right: String?) {
        #expect(RedisErrorReply(line).missingRight == right)
    }
}
