import ChatProtocol
import ConnectionEngine
import Foundation
import Testing

@testable import NexconnChatSDK

/// Errors: both kinds of number, and texts that say what to do (rules NC-30 to NC-32).
@Suite struct NCErrorTests {
    @Test(arguments: [
        (31004, 15), (31020, 15), (31027, 15), (34006, 14), (31010, 31010), (33001, 33001), (25405, 25405), (-4, -4),
        (12345, 12345),
    ])
    func `errorCode has the sample's values, code the detailed ones`(code: Int, errorCode: Int) {
        let error = NCError.error(with: code)
        #expect(error.code == code && error.errorCode == errorCode)
        #expect(error.domain == NCError.domain)
    }

    @Test func `it is an NSError that can be caught and compared`() {
        let error: any Error = NCError.error(with: 31004)
        #expect((error as NSError).code == 31004)
        #expect((error as? NCError)?.errorCode == 15)
        #expect(NCError.error(with: 1) == NCError.error(with: 1))
    }

    @Test func `texts say what to do`() {
        #expect(NCError(.notInitialised).localizedDescription.contains("NCEngine.initialize"))
        #expect(NCError(.tokenExpired).localizedDescription.contains("Get a new token"))
        #expect(NCError(code: 99999).localizedDescription.contains("99999"))
        let refused = NCError(ConnectionFailure(chat: .tooManySends, .overloaded, "Slow down.", origin: .server))
        #expect(refused.code == 20604 && refused.localizedDescription.hasPrefix("Slow down. "))
    }

    @Test(arguments: [
        (StatusCategory.credentialsRejected, 31004), (.banned, 31009), (.kicked, 31010), (.timeout, 34006),
        (.proxyUnavailable, 34245), (.networkUnavailable, 30002),
    ])
    func `a failure without a number gets that of its category`(category: StatusCategory, code: Int) {
        #expect(NCError(ConnectionFailure(category, "Scripted.")).code == code)
    }

    @Test func `NC-54: a text is the reason, or the meaning of the code, and then what to do`() {
        let offline = NCError(.noConnection).localizedDescription
        let reconnects = "The library reconnects; try again when the status is connected."
        #expect(offline == "There is no connection to the server. " + reconnects)
        let nobody = NCError(.notConnectedYet, reason: "Nobody is signed in.").localizedDescription
        #expect(nobody == "Nobody is signed in. Call NCEngine.connect first.")
        let group = NCError(.noSuchGroup, reason: "There is no group with this id.").localizedDescription
        #expect(group == "There is no group with this id. Check the group id.")
        #expect(NCError(.noSuchGroup, reason: "").localizedDescription == group)
        let advised = NCError(.databaseClosed, reason: "The local database is not open. Call NCEngine.connect first.")
        #expect(advised.localizedDescription == "The local database is not open. Call NCEngine.connect first.")
        let own = NCError(.badArgument, reason: "An id has 1 to 64 characters.").localizedDescription
        #expect(own == "An id has 1 to 64 characters.")
        #expect(NCError(.badArgument).localizedDescription == "An argument of the call is missing or not valid.")
    }
}
