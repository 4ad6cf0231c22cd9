import Lifeline

// As PusherSnippets.swift, for the articles about errors and services.

private func show(_ message: Message) {}
private func showThatNothingIsKept() {}
private func showRetryButton() {}
private func historyButton(isShown: Bool) {}
private func showProblem(_ reason: String) {}

func errorsByCode(_ room: Room) async {
    do {
        for message in try await room.history(last: 20) {
            show(message)
        }
    } catch {
        switch error.code {
        case .unsupported: showThatNothingIsKept()
        case .disconnected, .timeout, .networkUnavailable: showRetryButton()
        default: showProblem(error.reason)
        }
    }
}

func errorsPassedOn(_ room: Room) async throws {
    do {
        for message in try await room.history(last: 20) {
            show(message)
        }
    } catch let error where error.code == .unsupported {
        showThatNothingIsKept()
    } catch {
        throw error
    }
}

func errorsInAClosure(_ room: Room) {
    Task {
        do throws(LifelineError) {
            _ = try await room.publish("hello")
        } catch {
            showProblem(error.reason)
        }
    }
}

func featureAsked(_ client: LifelineClient) {
    let channel = client.channel("room-42")
    historyButton(isShown: channel.supports(.history))
}
