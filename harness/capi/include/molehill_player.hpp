// For players in C++ whose VM and renderer have separate threads: the Stage3Ds of a stage, from the program's first call to the
// picture on the render thread. C++11 and later, also without exceptions and RTTI.
#ifndef MOLEHILL_PLAYER_HPP
#define MOLEHILL_PLAYER_HPP

#include <algorithm>
#include <atomic>
#include <mutex>

#include "molehill.hpp"

namespace molehill {

class Player;

// A Stage3D of a player; the host's class derives from it. Unless a comment names another thread, the VM's thread calls.
class PlayerStage {
public:
    explicit PlayerStage(Player &player);
    virtual ~PlayerStage() { leave(); }
    PlayerStage(const PlayerStage &) = delete;
    PlayerStage &operator=(const PlayerStage &) = delete;

    // Returns the receiver of the program's calls. The first call makes the Stage3D, and adds it to the recording.
    MOLEHILL_NODISCARD MolehillObject object();
    // Returns whether the program has called the Stage3D.
    MOLEHILL_NODISCARD bool is_called() const { return bool(stage_); }
    // Frees the Stage3D: it has no frames any more, and is not shown.
    void leave();

    // Returns the properties after the last frame, without profiles. Any thread.
    MOLEHILL_NODISCARD MolehillStage3DInfo info() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return info_;
    }
    // Returns whether the Stage3D is visible and has a context that works. Any thread.
    MOLEHILL_NODISCARD bool is_shown() const {
        const MolehillStage3DInfo info = this->info();
        return info.alive && info.visible;
    }
    // Gets the newest picture and its position on the render thread, like molehill_front_exchange_acquire. Returns whether
    // there is a picture to show.
    MOLEHILL_NODISCARD bool acquire(MolehillLoader loader, void *user_data, MolehillFront &front,
                                    MolehillStage3DInfo &info) const {
        info = this->info();
        return info.alive && info.visible
            && molehill_front_exchange_acquire(exchange_, loader, user_data, &front) == MOLEHILL_STATUS_OK;
    }

protected:
    // Describes the program and the host, before the first call.
    virtual void describe(MolehillRecordingOptions &program, MolehillHost &host) = 0;
    // Dispatches an event: at the end of a frame, or else before its `enterFrame`. The host's object of a new context owns it.
    virtual void dispatch(const MolehillStageEvent &event, bool ends) = 0;
    // Reports that the device or the recording can't be opened; last_error() has the reason, and the program goes on without it.
    virtual void fail(MolehillStatus status) = 0;

private:
    friend class Player;
    void frame(bool ends);

    Player *player_;
    Stage3D stage_ = Stage3D(MolehillStage3D());
    MolehillContext context_ = MolehillContext();  // the last one, which the host owns
    const FrontExchange exchange_;
    uint32_t swf_version_ = 0;
    mutable std::mutex mutex_;  // of `info_`, which only the VM's thread changes
    MolehillStage3DInfo info_ = sized<MolehillStage3DInfo>();
};

// All Stage3Ds of a player, its device, and its recording, which the environment variable MOLEHILL_RECORD starts.
class Player {
public:
    Player() = default;
    Player(const Player &) = delete;
    Player &operator=(const Player &) = delete;
    ~Player() {
        for (PlayerStage *stage : stages_)
            stage->player_ = nullptr;
    }
    // Returns the Stage3Ds in the order of `stage.stage3Ds`.
    MOLEHILL_NODISCARD const std::vector<PlayerStage *> &stages() const { return stages_; }
    // Returns whether the program has called a Stage3D.
    MOLEHILL_NODISCARD bool is_called() const {
        return std::any_of(stages_.begin(), stages_.end(), [](PlayerStage *it) { return it->is_called(); });
    }
    MOLEHILL_NODISCARD bool has_device() const { return bool(device_); }
    // Sets the device, for a host that doesn't open it by a loader.
    void set_device(Device device) { device_ = std::move(device); }
    // Begins or ends a frame: dispatches events, publishes pictures. Call it before `enterFrame` and after each frame's
    // code, with an empty stack. Without a device, the loader opens it in the current GL context; null: requests are refused.
    void frame(bool ends, MolehillLoader loader = nullptr, void *user_data = nullptr) {
        for (size_t n = 0; n < stages_.size(); n++) {
            PlayerStage &stage = *stages_[n];
            if (!stage.is_called())
                continue;
            if (!device_ && loader)
                open(loader, user_data, stage);
            loader = nullptr;
            stage.frame(ends);
            is_used_ = is_used_ || ends;
            has_news_ = has_news_ || ends;
        }
        if (ends)
            molehill_recording_end_frame(recording_);
    }
    // Returns whether a frame has ended since the last call; true before the first frame of a Stage3D. Render thread.
    MOLEHILL_NODISCARD bool has_news() { return !is_used_ || has_news_.exchange(false); }

private:
    friend class PlayerStage;
    void open(MolehillLoader loader, void *user_data, PlayerStage &stage) {
        MolehillDevice opened = MolehillDevice();
        const MolehillStatus status = molehill_device_from_loader(loader, user_data, nullptr, nullptr, &opened);
        if (status < 0)
            stage.fail(status);
        device_ = Device(opened);
    }
    void record(PlayerStage &stage, const MolehillRecordingOptions &program) {
        MolehillRecording started = MolehillRecording();
        const MolehillStatus status = recording_ ? MOLEHILL_STATUS_OK : molehill_recording_start(nullptr, &program, &started);
        if (status < 0)
            stage.fail(status);
        if (started.id)
            recording_ = Recording(started);
        const auto index = std::find(stages_.begin(), stages_.end(), &stage) - stages_.begin();
        molehill_stage3d_record(stage.stage_, recording_, static_cast<uint32_t>(index));
    }
    // Returns the number of working contexts of other Stage3Ds.
    uint32_t others(const PlayerStage *stage) const {
        const auto other = [stage](PlayerStage *it) { return it != stage && it->info_.alive; };
        return static_cast<uint32_t>(std::count_if(stages_.begin(), stages_.end(), other));
    }

    std::vector<PlayerStage *> stages_;
    Device device_;
    Recording recording_;
    std::atomic<bool> is_used_{false}, has_news_{false};
};

inline PlayerStage::PlayerStage(Player &player) : player_(&player) {
    player.stages_.push_back(this);
}

inline MolehillObject PlayerStage::object() {
    if (!stage_ && player_) {
        stage_ = Stage3D();
        MolehillRecordingOptions program = sized<MolehillRecordingOptions>();
        MolehillHost host = sized<MolehillHost>();
        describe(program, host);
        swf_version_ = program.swf_version;
        player_->record(*this, program);
        molehill_stage3d_set_host(stage_, &host);
    }
    return MOLEHILL_OBJECT(stage_.get());
}

inline void PlayerStage::leave() {
    if (player_)
        player_->stages_.erase(std::remove(player_->stages_.begin(), player_->stages_.end(), this), player_->stages_.end());
    stage_ = Stage3D(MolehillStage3D());
    const std::lock_guard<std::mutex> lock(mutex_);
    info_.alive = 0;
}

inline void PlayerStage::frame(bool ends) {
    const auto next = ends ? molehill_stage3d_end_frame : molehill_stage3d_begin_frame;
    MolehillStageEvent event = sized<MolehillStageEvent>();
    while (player_ && next(stage_, player_->device_, swf_version_, player_->others(this), &event) == MOLEHILL_STATUS_OK) {
        if (event.kind == MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED)
            context_ = event.context;
        dispatch(event, ends);
    }
    molehill_context_publish_front(context_, exchange_);
    const std::lock_guard<std::mutex> lock(mutex_);
    molehill_stage3d_info(stage_, &info_);
    info_.profiles = nullptr;  // the VM's thread's
    info_.profile_count = 0;
}

}  // namespace molehill

#endif
