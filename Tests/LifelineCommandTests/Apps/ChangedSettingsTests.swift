import Testing
import WireCoding

@testable import LifelineCommand

@Suite struct ChangedSettingsTests {
    @Test func `AR-30: settings are names and values, with a dot for members, and values are JSON or texts`() throws {
        let settings = try ChangedSettings([
            "limits.connections=5000", "clientEvents=true", "webhook=https://example.com/a?b=c", "limits.channels=null",
            #"origins=["https://a.example"]"#, "key=\"123\"", "note=",
        ])
        #expect(
            settings.value == [
                "limits": ["connections": 5000, "channels": .null], "clientEvents": true, "webhook": "https://example.com/a?b=c",
                "origins": ["https://a.example"], "key": "123", "note": "",
            ])
    }

    @Test(arguments: [
        (["limits.connections"], "such as limits.connections=5000"), (["=5"], "name of a setting"),
        (["limits.=5"], "name of a setting"),
        (["a=1", "a=2"], "twice"), (["limits=null", "limits.connections=5"], "one of the two forms"),
        (["limits.connections=5", "limits={}"], "one of the two forms"),
    ])
    func `AR-30: other texts are wrong usage, and the error says what to write`(texts: [String], words: String) {
        let failure = #expect(throws: CommandFailure.self) { try ChangedSettings(texts) }
        #expect(failure?.kind == .usage && failure?.message.contains(words) == true)
    }
}
