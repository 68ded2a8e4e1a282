// The demo in C++: demo gl|software FRAME FILE. Objects free themselves, and errors are exceptions.
// c++ demo.cpp -o demo-cpp $(pkg-config --cflags --libs molehill)
#include <fstream>
#include <iostream>
#include <molehill.hpp>
#include <string>
#include <vector>

#include "demo_scene.h"

static std::vector<uint8_t> draw_frame(const molehill::Device &device, int frame, MolehillSize &size) {
    molehill::Context context(device, "baseline", 30);
    Scene scene;
    molehill::check(scene_build(&scene, context));
    molehill::check(scene_draw(&scene, double(frame) / FRAMES));
    return context.read_front(size);
}

// Returns whether an error has its details, and a moved object leaves its owner empty.
static bool errors_are_thrown(const molehill::Device &device) {
    molehill::Context context(device, "baseline", 30);
    try {
        context.configure_back_buffer(1, 1, 0, false, false, false);
    } catch (const molehill::Error &error) {
        molehill::Context moved(std::move(context));
        return error.number != 0 && error.class_name == "Error" && !context && moved;
    }
    return false;
}

int main(int count, char **arguments) try {
    if (count != 4) {
        std::cerr << "demo gl|software FRAME FILE\n";
        return 2;
    }
    const molehill::Device device =
        std::string(arguments[1]) == "gl" ? molehill::Device::offscreen() : molehill::Device::software();
    MolehillSize size;
    const std::vector<uint8_t> rgba = draw_frame(device, std::stoi(arguments[2]), size);
    std::ofstream file(arguments[3], std::ios::binary);
    file << "P6\n" << size.width << ' ' << size.height << "\n255\n";
    for (size_t at = 0; at < rgba.size(); at += 4)
        file.write(reinterpret_cast<const char *>(&rgba[at]), 3);
    return file && errors_are_thrown(device) ? 0 : 1;
} catch (const std::exception &error) {
    std::cerr << "demo: " << error.what() << '\n';
    return 1;
}
